-- Secrets of all tenants that are encrypted with a master key other than the current one.
--
-- Parameters: $1 current key id, $2 after this tenant and $3 this name, $4 most rows
-- Returns: tenant_id, name, version, key_id, nonce, ciphertext
-- Types: nonce!, ciphertext!
-- Locks: none. Index: secrets_pkey.
select
  tenant_id, name, version, key_id, encode(nonce, 'hex') as nonce, encode(ciphertext, 'hex') as ciphertext
from punctual.secrets
where key_id <> $1::text
  and (tenant_id, name) > ($2::integer, $3::text)
order by tenant_id, name
limit $4::integer
