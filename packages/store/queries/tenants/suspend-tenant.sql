-- Suspends a tenant: none of its runs is claimed from now on. A suspended tenant keeps its note.
--
-- Parameters: $1 tenant, $2 note, $3 who suspended it
-- Returns: as find-tenant; no row when it was already suspended
-- Locks: the tenant, then its pause. Index: primary key; unique (tenant_id, queue, of_suspension).
with suspended as (
  update punctual.tenants
  set suspended_at = clock_timestamp(), suspended_note = $2::text, suspended_by = $3::text
  where id = $1::integer and suspended_at is null and erased_at is null
  returning id, name, note, quotas, created_at, created_by, suspended_at, suspended_by, suspended_note, erasing_at
),
paused as (
  insert into punctual.pauses (tenant_id, paused_at, note, paused_by, of_suspension)
  select id, suspended_at, concat('the tenant is suspended', ': ' || $2::text), $3::text, true
  from suspended
  on conflict (tenant_id, queue, of_suspension) do nothing
)
select
  id, name, note, quotas, created_at, created_by, suspended_at, suspended_by, suspended_note, erasing_at
from suspended
