-- Everything needed to authenticate a caller: an API key by its prefix, and its tenant.
--
-- Parameters: $1 prefix
-- Returns: id, name, hash in hexadecimal, scopes, expires in ms or null, whether
--   it is revoked, tenant_id, tenant_name, whether the tenant is suspended, whether it is erased or
--   being erased
-- Types: hash!, revoked!, suspended!, erased!
-- Locks: none. Index: unique (prefix); primary key of tenants.
select
  k.id, k.name, encode(k.hash, 'hex') as hash, k.scopes,
  floor(extract(epoch from k.expires_at) * 1000)::bigint as expires_ms, k.revoked_at is not null as revoked,
  k.tenant_id, t.name as tenant_name, t.suspended_at is not null as suspended, t.erasing_at is not null as erased
from punctual.api_keys k
left join punctual.tenants t on t.id = k.tenant_id
where k.prefix = $1::text
