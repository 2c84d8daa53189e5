-- A secret as it is stored.
--
-- Parameters: $1 tenant, $2 name
-- Returns: version, key_id, nonce, ciphertext
-- Types: nonce!, ciphertext!
-- Locks: none. Index: secrets_pkey.
select version, key_id, encode(nonce, 'hex') as nonce, encode(ciphertext, 'hex') as ciphertext
from punctual.secrets
where tenant_id = $1::integer and name = $2::text
