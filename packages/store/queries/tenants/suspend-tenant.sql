-- Suspends a tenant: nothing of it is claimed from now on. One that is suspended keeps the note of then.
--
-- Parameters: $1 tenant, $2 note, $3 who
-- Returns: as find-tenant; no row when it was suspended before
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
