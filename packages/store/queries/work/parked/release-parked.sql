-- Jobs that nobody holds: the first of their runs that wait may start.
--
-- Parameters: $1 jobs uuid[]
-- Returns: lane of each that was moved
-- Locks: parked, then new queue rows. Index: parked_job, primary keys. Pinned: no sequential scan.
with free as materialized (
  select distinct on (p.job_id) p.run_id
  from punctual.parked p
  where p.job_id = any ($1::uuid[]) and p.gate is null
    and not exists (select from punctual.job_holds h where h.job_id = p.job_id)
  order by p.job_id, p.run_id
),
moved as (
  delete from punctual.parked
  where run_id = any (array(select run_id from free))
  returning run_id, tenant_id, lane, attempt, crashes, traits, job_id
)
insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
select
  run_id, floor(extract(epoch from clock_timestamp()) * 1000)::bigint << :pos.shift, tenant_id, lane, attempt, crashes,
  traits, job_id
from moved
returning lane
