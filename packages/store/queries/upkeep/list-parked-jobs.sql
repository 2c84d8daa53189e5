-- Jobs whose runs have been parked behind another run for some time: the process that should have
-- released them may have died.
--
-- Parameters: $1 how long in ms
-- Returns: job_ids, run_ids: one row of arrays (null when there is none)
-- Locks: none. Index: none: few runs are parked. The number of rows is limited.
select array_agg(distinct job_id) as job_ids, array_agg(run_id) as run_ids
from (
  select job_id, run_id
  from punctual.parked
  where gate is null and parked_at < clock_timestamp() - $1::bigint * interval '1 millisecond'
  order by run_id
  limit 1000
) p
