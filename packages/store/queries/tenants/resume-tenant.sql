-- Ends the suspension of a tenant. Queues that were paused individually stay paused, and a tenant
-- that is being erased stays suspended.
--
-- Parameters: $1 tenant
-- Returns: as find-tenant; no row when it was not suspended or is being erased
-- Locks: the tenant, then its pause. Index: primary key; unique (tenant_id, queue, of_suspension).
with resumed as (
  update punctual.tenants
  set suspended_at = null, suspended_note = null, suspended_by = null
  where id = $1::integer and suspended_at is not null and erasing_at is null
  returning id, name, note, quotas, created_at, created_by, suspended_at, suspended_by, suspended_note, erasing_at
),
unpaused as (
  delete from punctual.pauses
  where tenant_id in (select id from resumed) and of_suspension
)
select
  id, name, note, quotas, created_at, created_by, suspended_at, suspended_by, suspended_note, erasing_at
from resumed
