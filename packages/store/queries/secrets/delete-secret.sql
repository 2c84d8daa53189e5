-- Removes a secret.
--
-- Parameters: $1 tenant, $2 name
-- Returns: version; no row when it did not exist
-- Locks: the row. Index: secrets_pkey.
delete from punctual.secrets
where tenant_id = $1::integer and name = $2::text
returning version
