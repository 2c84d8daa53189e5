-- The heads of chains that are about to grow.
--
-- Parameters: $1 chains
-- Returns: chain, seq, hash
-- Types: hash!
-- Locks: none; the caller holds the lock of the sealers. Index: audit_heads_pkey.
select chain, seq, encode(hash, 'hex') as hash
from punctual.audit_heads
where chain = any($1::integer[])
