-- Secrets that are encrypted with another master key than the one that is in use, of all tenants.
--
-- Parameters: $1 key id, $2 after this tenant and $3 this name, $4 most
-- Returns: tenant_id, name, version, key_id, nonce, ciphertext
-- Locks: none. Index: secrets_pkey.
select tenant_id, name, version, key_id, encode(nonce, 'hex'), encode(ciphertext, 'hex')
from punctual.secrets
where key_id <> $1::text
  and (tenant_id, name) > ($2::integer, $3::text)
order by tenant_id, name
limit $4::integer
