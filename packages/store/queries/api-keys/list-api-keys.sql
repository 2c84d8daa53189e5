-- API keys of a tenant, of the installation, or all of them; oldest first.
--
-- Parameters: $1 tenant or null (null = any), $2 whether only those of the installation, $3 after
--   this id or null, $4 most rows
-- Returns: as find-api-key
-- Locks: none. Index: api_keys_tenant.
select
  k.id, k.name, k.prefix, k.tenant_id, t.name as tenant_name, k.scopes, k.created_at,
  k.created_by, k.expires_at, k.revoked_at, k.revoked_by, k.rotated_to, k.last_used_at
from punctual.api_keys k
left join punctual.tenants t on t.id = k.tenant_id
where ($1::integer is null or k.tenant_id = $1::integer)
  and (not $2::boolean or k.tenant_id is null)
  and (
    $3::uuid is null
    or (k.created_at, k.id) > (select a.created_at, a.id from punctual.api_keys a where a.id = $3::uuid))
order by k.created_at, k.id
limit $4::integer
