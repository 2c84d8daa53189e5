-- An API key by its id, of one tenant or of any.
--
-- Parameters: $1 id, $2 tenant or null (null = any)
-- Returns: id, name, prefix, tenant_id, tenant_name, scopes, created_at,
--   created_by, expires_at, revoked_at, revoked_by, rotated_to, last_used_at
-- Locks: none. Index: primary key.
select
  k.id, k.name, k.prefix, k.tenant_id, t.name as tenant_name, k.scopes, k.created_at,
  k.created_by, k.expires_at, k.revoked_at, k.revoked_by, k.rotated_to, k.last_used_at
from punctual.api_keys k
left join punctual.tenants t on t.id = k.tenant_id
where k.id = $1::uuid and ($2::integer is null or k.tenant_id = $2::integer)
