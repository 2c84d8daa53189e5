-- The last lines of a run's log, last line first.
--
-- Parameters: $1 run id, $2 most lines, $3 tenant (null = any)
-- Returns: at, attempt, seq, level, message, data
-- Locks: none. Index: primary key of run_logs, one partition, backwards.
select at, attempt, seq, level, message, data
from punctual.run_logs
where run_id = $1::uuid and ($3::integer is null or tenant_id = $3::integer)
order by attempt desc, seq desc
limit $2::integer
