-- Appends lines to the logs of runs. A line that is there already (a repeated write) stays.
--
-- Parameters: $1 run ids uuid[], $2 attempts smallint[], $3 sequence numbers integer[], $4 ages in ms
--   integer[], $5 levels smallint[], $6 messages text[], $7 data text[]
-- Returns: nothing
-- Locks: the new rows. Index: primary key of run_logs.
insert into punctual.run_logs (run_id, at, tenant_id, seq, attempt, level, message, data)
select
  i.run_id, clock_timestamp() - i.ago_ms * interval '1 millisecond',
  coalesce((select l.tenant_id from punctual.leases l where l.run_id = i.run_id), 1), i.seq, i.attempt,
  i.level, i.message, i.data
from unnest($1::uuid[], $2::smallint[], $3::integer[], $4::integer[], $5::smallint[], $6::text[], $7::text[])
  as i (run_id, attempt, seq, ago_ms, level, message, data)
on conflict do nothing
