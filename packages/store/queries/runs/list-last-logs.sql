-- The last lines of the log of a run, the last one first.
--
-- Parameters: $1 run id, $2 most lines
-- Returns: at, attempt, seq, level, message, data
-- Locks: none. Index: primary key of run_logs, one day, backwards.
select at, attempt, seq, level, message, data
from punctual.run_logs
where run_id = $1::uuid
order by attempt desc, seq desc
limit $2::integer
