-- Appends lines to the logs of runs that are held. A line that is there already (a repeated write) stays.
--
-- Parameters: $1 run ids uuid[], $2 attempts smallint[], $3 sequence numbers integer[], $4 ages in ms
--   integer[], $5 levels smallint[], $6 messages text[], $7 data text[]
-- Returns: one row: late, how many lines are of runs that nobody holds; append-late-logs takes them
-- Types: late!
-- Locks: the new rows. Index: primary keys of run_logs and leases. Pinned: nested loops.
with lines as materialized (
  select
    i.run_id, i.attempt, i.seq, i.ago_ms, i.level, i.message, i.data,
    (select l.tenant_id from punctual.leases l where l.run_id = i.run_id) as tenant_id
  from unnest($1::uuid[], $2::smallint[], $3::integer[], $4::integer[], $5::smallint[], $6::text[], $7::text[])
    as i (run_id, attempt, seq, ago_ms, level, message, data)
),
appended as (
  insert into punctual.run_logs (run_id, at, tenant_id, seq, attempt, level, message, data)
  select
    run_id, clock_timestamp() - ago_ms * interval '1 millisecond', tenant_id, seq, attempt, level, message,
    data
  from lines
  where tenant_id is not null
  on conflict do nothing
)
select count(*) as late from lines where tenant_id is null
