-- Deletes the gate rows (concurrency and rate keys) of a tenant's live runs, and the holds of its
-- jobs.
--
-- Parameters: $1 tenant
-- Returns: one row: the number of deleted rows
-- Types: gone!
-- Locks: the rows. Index: primary keys; the places of runs are read whole.
with live as materialized (
  select run_id from punctual.queue where tenant_id = $1::integer
  union all
  select run_id from punctual.later where tenant_id = $1::integer
  union all
  select run_id from punctual.parked where tenant_id = $1::integer
  union all
  select run_id from punctual.leases where tenant_id = $1::integer
),
gated as (
  delete from punctual.gated where run_id in (select run_id from live) returning run_id
),
holds as (
  delete from punctual.job_holds
  where job_id in (select id from punctual.jobs where tenant_id = $1::integer)
  returning job_id
)
select (select count(*) from gated) + (select count(*) from holds) as gone
