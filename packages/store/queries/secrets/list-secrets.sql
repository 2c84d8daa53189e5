-- Lists the secrets of a tenant without their values, and so needs no master key.
--
-- Parameters: $1 tenant
-- Returns: name, version, key_id, created_at, created_by, updated_at, updated_by
-- Locks: none. Index: secrets_pkey.
select name, version, key_id, created_at, created_by, updated_at, updated_by
from punctual.secrets
where tenant_id = $1::integer
order by name
