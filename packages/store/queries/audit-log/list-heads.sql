-- The existing chains, in one snapshot: their heads, how many entries they have, and how many of
-- those wait to be sealed.
--
-- Parameters: $1 chain or null for all
-- Returns: chain, seq, hash, sealed_at (null when nothing is sealed yet), seals, the highest
--   position, waiting
-- Types: chain!, seals!, last!, waiting!
-- Locks: none. Index: audit_seals_pkey; the other tables are small.
with sealed as (
  select chain, count(*) as seals, max(seq) as last
  from punctual.audit_seals
  where $1::integer is null or chain = $1::integer
  group by chain
),
waiting as (
  select chain, count(*) as entries
  from punctual.audit_unsealed
  where $1::integer is null or chain = $1::integer
  group by chain
),
heads as (
  select chain, seq, hash, sealed_at
  from punctual.audit_heads
  where $1::integer is null or chain = $1::integer
)
select
  chain, h.seq, encode(h.hash, 'hex') as hash, h.sealed_at, coalesce(s.seals, 0) as seals, coalesce(s.last, 0) as last,
  coalesce(w.entries, 0) as waiting
from heads h
full join sealed s using (chain)
full join waiting w using (chain)
order by chain
