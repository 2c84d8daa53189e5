-- Seals entries: gives them their positions in the chain.
--
-- Parameters: $1 chains, $2 positions, $3 entries, $4 contents and $5 hashes in hexadecimal
-- Returns: entry_id
-- Locks: the rows of audit_unsealed. Index: audit_unsealed_pkey.
with given as (
  select chain, seq, entry_id, decode(content, 'hex') as content, decode(hash, 'hex') as hash
  from unnest($1::integer[], $2::bigint[], $3::uuid[], $4::text[], $5::text[])
    as g (chain, seq, entry_id, content, hash)
),
waited as (
  delete from punctual.audit_unsealed u
  using given g
  where u.entry_id = g.entry_id
  returning u.entry_id
)
insert into punctual.audit_seals (chain, seq, entry_id, content, hash)
select g.chain, g.seq, g.entry_id, g.content, g.hash
from given g
join waited using (entry_id)
returning entry_id
