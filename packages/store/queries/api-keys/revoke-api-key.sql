-- Revokes an API key; a revoked key stays unchanged.
--
-- Parameters: $1 id, $2 tenant or null (null = any), $3 who revoked it
-- Returns: id if it was not revoked before; otherwise no row
-- Locks: the key. Index: primary key.
update punctual.api_keys
set revoked_at = clock_timestamp(), revoked_by = $3::text
where id = $1::uuid and ($2::integer is null or tenant_id = $2::integer) and revoked_at is null
returning id
