-- A page of a chain with the entries that it seals; the fields of a removed entry are null.
--
-- Parameters: $1 chain, $2 after this position, $3 up to this position, $4 most rows
-- Returns: seq, entry_id, content, hash, then the fields of an entry as they are sealed
-- Types: content!, hash!, tenant_id text, at_us text, before text, after text
-- Locks: none. Index: audit_seals_pkey, audit_log_pkey.
select
  s.seq, s.entry_id, encode(s.content, 'hex') as content, encode(s.hash, 'hex') as hash,
  l.id, l.tenant_id, (extract(epoch from l.at) * 1000000)::bigint as at_us, l.actor_kind, l.actor_id, l.actor_name,
  l.action, l.target_kind, l.target_id, l.target_name, l.before, l.after, l.source_ip, l.request_id,
  l.note
from punctual.audit_seals s
left join punctual.audit_log l on l.id = s.entry_id
where s.chain = $1::integer and s.seq > $2::bigint and s.seq <= $3::bigint
order by s.seq
limit $4::integer
