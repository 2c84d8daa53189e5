-- Replaces the ciphertext of a secret, encrypted with another master key, unless the secret has
-- changed meanwhile.
--
-- Parameters: $1 tenant, $2 name, $3 version, $4 key id, $5 nonce and $6 ciphertext in hexadecimal,
--   $7 key id before
-- Returns: version; no row when it has changed
-- Locks: the row. Index: secrets_pkey.
update punctual.secrets
set key_id = $4::text, nonce = decode($5::text, 'hex'), ciphertext = decode($6::text, 'hex')
where tenant_id = $1::integer and name = $2::text and version = $3::integer and key_id = $7::text
returning version
