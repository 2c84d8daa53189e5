-- Runs that have been parked for some time although no run holds their job.
--
-- Parameters: $1 how long in ms
-- Returns: job_id, run_id
-- Types: job_id!
-- Locks: none. Index: primary keys of parked, which has few rows, and of job_holds. At most 1000
--   rows.
select p.job_id, p.run_id
from punctual.parked p
where p.gate is null and p.parked_at < clock_timestamp() - $1::bigint * interval '1 millisecond'
  and not exists (select from punctual.job_holds h where h.job_id = p.job_id)
order by p.run_id
limit 1000
