-- What earlier attempts of runs have kept.
--
-- Parameters: $1 run ids uuid[]
-- Returns: run_id, state
-- Locks: none. Index: primary key of checkpoints, the days of the runs.
select run_id, state
from punctual.checkpoints
where run_id = any ($1::uuid[])
