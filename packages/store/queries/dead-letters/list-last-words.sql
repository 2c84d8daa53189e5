-- The last errors of dead runs.
--
-- Parameters: $1 run ids uuid[], $2 smallest id, $3 largest id (of $1, so that other partitions are
--   pruned)
-- Returns: run_id, attempt, name and message of the error
-- Locks: none. Index: primary key of outcomes, the partitions between.
select run_id, attempt, error ->> 'name' as name, error ->> 'message' as message
from punctual.outcomes
where run_id = any ($1::uuid[]) and run_id between $2::uuid and $3::uuid
