-- Deletes all entries of a tenant and their chain. Requires allow-erasing before it in the same
-- transaction.
--
-- Parameters: $1 tenant
-- Returns: how many entries there were, and the position and hash of the head of their chain (null
--   when nothing was sealed)
-- Types: entries!
-- Locks: the rows. Index: audit_log_chain, audit_seals_pkey, audit_heads_pkey.
with entries as (
  delete from punctual.audit_log
  where coalesce(tenant_id, 0) = $1::integer
  returning id
),
seals as (
  delete from punctual.audit_seals where chain = $1::integer
),
heads as (
  delete from punctual.audit_heads where chain = $1::integer returning seq, hash
)
select
  (select count(*) from entries) as entries,
  (select seq from heads) as seq,
  (select encode(hash, 'hex') from heads) as hash
