-- Creates an API key, unless its prefix exists or the tenant has reached its limit of keys.
--
-- Parameters: $1 tenant or null, $2 name, $3 prefix, $4 hash in hexadecimal, $5 scopes text[],
--   $6 expires at or null, $7 who created it, $8 most keys of the tenant
-- Returns: the key as find-api-key; no row when it was not created
-- Locks: the new row and the count (rows_of_tenant), until the transaction ends.
-- Index: unique (prefix); api_keys_tenant.
with made as (
  insert into punctual.api_keys (tenant_id, name, prefix, hash, scopes, expires_at, created_by)
  select
    $1::integer, $2::text, $3::text, decode($4::text, 'hex'), $5::text[], $6::timestamptz, $7::text
  where punctual.rows_of_tenant($1::integer, 'api keys', $8::bigint) < $8::bigint
  on conflict (prefix) do nothing
  returning
    id, name, prefix, tenant_id, scopes, created_at, created_by, expires_at, revoked_at, revoked_by, rotated_to,
    last_used_at
)
select
  k.id, k.name, k.prefix, k.tenant_id, t.name as tenant_name, k.scopes, k.created_at,
  k.created_by, k.expires_at, k.revoked_at, k.revoked_by, k.rotated_to, k.last_used_at
from made k
left join punctual.tenants t on t.id = k.tenant_id
