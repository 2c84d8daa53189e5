-- Stores a new value if the secret still has the version that was read: the ciphertext contains the
-- next version.
--
-- Parameters: $1 tenant, $2 name, $3 version before (0 = none), $4 key id, $5 nonce and
--   $6 ciphertext in hexadecimal, $7 who set it, $8 most secrets of the tenant
-- Returns: version; no row when another writer was faster, or when it would be one too many
-- Locks: the row; for a new one also the count (rows_of_tenant), until the transaction ends.
-- Index: secrets_pkey.
insert into punctual.secrets (
  tenant_id, name, version, key_id, nonce, ciphertext, created_at, created_by, updated_at, updated_by
)
select
  $1::integer, $2::text, $3::integer + 1, $4::text, decode($5::text, 'hex'), decode($6::text, 'hex'),
  clock_timestamp(), $7::text, clock_timestamp(), $7::text
where (
    $3::integer = 0
    and punctual.rows_of_tenant($1::integer, 'secrets', $8::bigint) < $8::bigint
  )
  or exists (
    select 1 from punctual.secrets where tenant_id = $1::integer and name = $2::text and version = $3::integer
  )
on conflict (tenant_id, name) do update
set version = excluded.version,
  key_id = excluded.key_id,
  nonce = excluded.nonce,
  ciphertext = excluded.ciphertext,
  updated_at = excluded.updated_at,
  updated_by = excluded.updated_by
where secrets.version = $3::integer
returning version
