-- Frees jobs that are held by runs which no longer exist in any place. A run that holds its job is
-- leased or waits for another attempt; the statement that ends it also frees the job.
--
-- Parameters: $1 after this job, $2 most holds to read
-- Returns: one row: the last job read, how many were read, and arrays of the freed jobs and their
--   runs (null when there is none)
-- Types: looked!
-- Locks: job_holds. Index: primary keys. Pinned: no sequential scan.
with page as materialized (
  select job_id, run_id
  from punctual.job_holds
  where job_id > $1::uuid
  order by job_id
  limit $2::integer
),
freed as (
  delete from punctual.job_holds h
  using page p
  where h.job_id = p.job_id and h.run_id = p.run_id
    and not exists (select from punctual.leases where run_id = p.run_id)
    and not exists (select from punctual.queue where run_id = p.run_id)
    and not exists (select from punctual.later where run_id = p.run_id)
    and not exists (select from punctual.parked where run_id = p.run_id)
  returning h.job_id, h.run_id
)
select
  (select job_id from page order by job_id desc limit 1) as last_id, (select count(*) from page) as looked,
  (select array_agg(job_id) from freed) as job_ids, (select array_agg(run_id) from freed) as run_ids
