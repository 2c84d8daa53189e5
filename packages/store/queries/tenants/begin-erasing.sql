-- Starts erasing a tenant: it is suspended for good, and its API keys are revoked. Repeating it
-- changes nothing.
--
-- Parameters: $1 tenant, $2 who erases it
-- Returns: name; no row when the tenant does not exist or is erased
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
