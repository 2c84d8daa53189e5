-- Runs that have waited for a while for jobs that nobody holds.
--
-- Parameters: $1 how long in ms
-- Returns: job_id, run_id
-- Locks: none. Index: primary key of parked, of which few rows there are, and of job_holds. Bounded.
select p.job_id, p.run_id
from punctual.parked p
where p.gate is null and p.parked_at < clock_timestamp() - $1::bigint * interval '1 millisecond'
  and not exists (select from punctual.job_holds h where h.job_id = p.job_id)
order by p.run_id
limit 1000
