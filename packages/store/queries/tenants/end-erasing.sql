-- Ends the erasure of a tenant. Only its number is left, which is never used again. Its name
-- becomes free: it is replaced by a string that is not a valid tenant name. If several callers
-- erase a tenant at the same time, one of them ends it.
--
-- Parameters: $1 tenant
-- Returns: id; no row when another caller has ended it
-- Locks: the tenant, its lanes, its pauses. Index: primary key; unique (tenant_id, queue, handler,
--   priority).
with erased as (
  update punctual.tenants
  set
    erased_at = clock_timestamp(), name = 'erased:' || id, note = null, quotas = '{}', created_by = null,
    suspended_note = null, suspended_by = null
  where id = $1::integer and erased_at is null
  returning id
),
lanes as (
  delete from punctual.lanes where tenant_id in (select id from erased)
),
pauses as (
  delete from punctual.pauses where tenant_id in (select id from erased)
)
select id from erased
