-- The jobs of runs.
--
-- Parameters: $1 run ids uuid[], $2 smallest id, $3 largest id (of $1, so that other partitions are
--   pruned)
-- Returns: id and job_id of each run that belongs to a job
-- Types: job_id!
-- Locks: none. Index: primary key of runs, the partitions between.
select id, job_id
from punctual.runs
where id = any ($1::uuid[]) and id between $2::uuid and $3::uuid and job_id is not null
