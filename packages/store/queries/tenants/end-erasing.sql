-- Nothing of a tenant is left but its number, which is never used again. Its name is free: what stays in its place is no
-- name that a tenant can have.
--
-- Parameters: $1 tenant
-- Returns: nothing
-- Locks: the tenant, its lanes, its pauses. Index: primary key; unique (tenant_id, queue, handler, priority).
with lanes as (
  delete from punctual.lanes where tenant_id = $1::integer
),
pauses as (
  delete from punctual.pauses where tenant_id = $1::integer
)
update punctual.tenants
set
  erased_at = clock_timestamp(), name = 'erased:' || id, note = null, quotas = '{}', created_by = null,
  suspended_note = null, suspended_by = null
where id = $1::integer
