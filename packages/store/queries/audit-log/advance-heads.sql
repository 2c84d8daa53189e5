-- Advances the heads of chains that have grown.
--
-- Parameters: $1 chains, $2 positions, $3 hashes in hexadecimal
-- Returns: chain
-- Locks: the heads. Index: audit_heads_pkey.
insert into punctual.audit_heads (chain, seq, hash, sealed_at)
select chain, seq, decode(hash, 'hex'), clock_timestamp()
from unnest($1::integer[], $2::bigint[], $3::text[]) as g (chain, seq, hash)
order by chain
on conflict (chain) do update set seq = excluded.seq, hash = excluded.hash, sealed_at = excluded.sealed_at
returning chain
