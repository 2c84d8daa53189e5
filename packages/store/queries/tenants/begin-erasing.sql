-- From here on a tenant is suspended for good, and none of its keys is accepted. One that is being erased stays so.
--
-- Parameters: $1 tenant, $2 who
-- Returns: name; no row when there is no such tenant, or it is erased
-- Locks: the tenant, its pause, its keys. Index: primary key; api_keys_tenant.
with erasing as (
  update punctual.tenants
  set
    erasing_at = coalesce(erasing_at, clock_timestamp()),
    suspended_at = coalesce(suspended_at, clock_timestamp()),
    suspended_by = coalesce(suspended_by, $2::text)
  where id = $1::integer and erased_at is null
  returning id, name, erasing_at
),
paused as (
  insert into punctual.pauses (tenant_id, paused_at, note, paused_by, of_suspension)
  select id, erasing_at, 'the tenant is being erased', $2::text, true
  from erasing
  on conflict (tenant_id, queue, of_suspension) do nothing
),
revoked as (
  update punctual.api_keys
  set revoked_at = clock_timestamp(), revoked_by = $2::text
  where tenant_id in (select id from erasing) and revoked_at is null
)
select name from erasing
