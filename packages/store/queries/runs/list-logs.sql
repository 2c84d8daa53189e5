-- The log of a run, in order.
--
-- Parameters: $1 run id, $2 after attempt, $3 after sequence number, $4 most lines, $5 tenant (null
--   = any)
-- Returns: at, attempt, seq, level, message, data
-- Locks: none. Index: primary key of run_logs, one partition.
select at, attempt, seq, level, message, data
from punctual.run_logs
where run_id = $1::uuid and (attempt, seq) > ($2::smallint, $3::integer)
  and ($5::integer is null or tenant_id = $5::integer)
order by attempt, seq
limit $4::integer
