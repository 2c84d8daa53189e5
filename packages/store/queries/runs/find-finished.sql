-- Which of these runs have ended.
--
-- Parameters: $1 ids uuid[], $2 smallest id, $3 largest id (of $1, so that other partitions are
--   pruned)
-- Returns: run_id
-- Locks: none. Index: primary key of outcomes, the partitions between.
select run_id
from punctual.outcomes
where run_id = any ($1::uuid[]) and run_id between $2::uuid and $3::uuid
