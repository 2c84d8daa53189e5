-- The attempts of a run that were followed by another attempt.
--
-- Parameters: $1 run id
-- Returns: attempt, outcome, started_at, ended_at, session_id, error
-- Locks: none. Index: primary key of attempts, one partition.
select attempt, outcome, started_at, ended_at, session_id, error
from punctual.attempts
where run_id = $1::uuid
order by attempt
limit 2000
