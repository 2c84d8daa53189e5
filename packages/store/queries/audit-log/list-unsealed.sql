-- Entries that are not sealed yet, in the order in which they will be sealed.
--
-- Parameters: $1 most rows
-- Returns: chain, then the fields of an entry as they are sealed
-- Types: tenant_id text, at_us text, before text, after text
-- Locks: none; the caller holds the lock of the sealers. Index: audit_log_pkey.
select
  u.chain,
  l.id, l.tenant_id, (extract(epoch from l.at) * 1000000)::bigint as at_us, l.actor_kind, l.actor_id, l.actor_name,
  l.action, l.target_kind, l.target_id, l.target_name, l.before, l.after, l.source_ip, l.request_id,
  l.note
from punctual.audit_unsealed u
join punctual.audit_log l on l.id = u.entry_id
order by u.entry_id
limit $1::integer
