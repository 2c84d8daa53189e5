-- Creates an API key that replaces another one, which expires after an overlap. By default the new
-- key is valid for as long as the old one was.
--
-- Parameters: $1 id, $2 tenant or null (null = any), $3 prefix, $4 hash in hexadecimal, $5 overlap
--   in ms, $6 expires at (null = the validity of the old key, counted from now), $7 who rotated it
-- Returns: the new key as find-api-key; no row when the old one is revoked, expired, already
--   rotated or missing
-- Locks: the key, the new row. Index: primary key; unique (prefix).
with old as (
  select id, tenant_id, name, scopes, expires_at - created_at as lasts
  from punctual.api_keys
  where id = $1::uuid and ($2::integer is null or tenant_id = $2::integer)
    and revoked_at is null and rotated_to is null and (expires_at is null or expires_at > clock_timestamp())
  for update
),
made as (
  insert into punctual.api_keys (tenant_id, name, prefix, hash, scopes, expires_at, created_by)
  select
    tenant_id, name, $3::text, decode($4::text, 'hex'), scopes, coalesce($6::timestamptz, clock_timestamp() + lasts),
    $7::text
  from old
  returning
    id, name, prefix, tenant_id, scopes, created_at, created_by, expires_at, revoked_at, revoked_by, rotated_to,
    last_used_at
),
ended as (
  update punctual.api_keys k
  set
    rotated_to = made.id,
    expires_at = least(k.expires_at, clock_timestamp() + $5::bigint * interval '1 millisecond')
  from made
  where k.id = $1::uuid
)
select
  k.id, k.name, k.prefix, k.tenant_id, t.name as tenant_name, k.scopes, k.created_at,
  k.created_by, k.expires_at, k.revoked_at, k.revoked_by, k.rotated_to, k.last_used_at
from made k
left join punctual.tenants t on t.id = k.tenant_id
