-- Runs that must not overlap with another run of their job, and would: they are parked.
--
-- Expects: the part taken, and `needs`, which parts the batch needs.
held as (
  insert into punctual.job_holds (job_id, run_id)
  select job_id, run_id
  from numbered
  where (select exclusive from needs) and traits & :traits.overlap <> 0
  order by job_id, run_id
  on conflict (job_id) do nothing
  returning run_id
),
parked as (
  insert into punctual.parked (
    run_id, parked_at, job_id, tenant_id, lane, attempt, crashes, traits)
  select
    n.run_id, clock_timestamp(), n.job_id, n.tenant_id, n.lane, n.attempt, n.crashes, n.traits
  from numbered n
  where (select exclusive from needs) and n.traits & :traits.overlap <> 0
    and n.run_id not in (select run_id from held)
    -- A run that comes back holds its job already.
    and not exists (
      select from punctual.job_holds h where h.job_id = n.job_id and h.run_id = n.run_id)
  returning run_id
),
