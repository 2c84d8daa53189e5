-- Appends lines to the logs of runs, held or not: the tenant is read from the run, which is of any day. A line
-- that is there already stays, and lines of a run that is gone are dropped.
--
-- Parameters: $1 run ids uuid[], $2 attempts smallint[], $3 sequence numbers integer[], $4 ages in ms
--   integer[], $5 levels smallint[], $6 messages text[], $7 data text[]
-- Returns: nothing
-- Locks: the new rows. Index: primary keys of run_logs and runs, every day: append-logs takes what it can.
--   Pinned: nested loops.
insert into punctual.run_logs (run_id, at, tenant_id, seq, attempt, level, message, data)
select
  i.run_id, clock_timestamp() - i.ago_ms * interval '1 millisecond', r.tenant_id, i.seq, i.attempt, i.level,
  i.message, i.data
from unnest($1::uuid[], $2::smallint[], $3::integer[], $4::integer[], $5::smallint[], $6::text[], $7::text[])
  as i (run_id, attempt, seq, ago_ms, level, message, data)
join punctual.runs r on r.id = i.run_id
on conflict do nothing
