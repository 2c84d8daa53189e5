-- Two signs of tampering. Added: entries that are neither sealed nor waiting to be sealed. Removed:
-- entries that wait to be sealed but no longer exist.
--
-- Parameters: $1 chain or null for all
-- Returns: chain, added or removed, how many, the first of them
-- Types: chain!, kind StrayKind!, entries!, first!
-- Locks: none. Index: none; it reads all entries.
select coalesce(l.tenant_id, 0) as chain, 'added' as kind, count(*) as entries, min(l.id::text) as first
from punctual.audit_log l
where ($1::integer is null or coalesce(l.tenant_id, 0) = $1::integer)
  and not exists (select 1 from punctual.audit_seals s where s.entry_id = l.id)
  and not exists (select 1 from punctual.audit_unsealed u where u.entry_id = l.id)
group by coalesce(l.tenant_id, 0)
union all
select u.chain, 'removed', count(*), min(u.entry_id::text)
from punctual.audit_unsealed u
where ($1::integer is null or u.chain = $1::integer)
  and not exists (select 1 from punctual.audit_log l where l.id = u.entry_id)
group by u.chain
order by chain
