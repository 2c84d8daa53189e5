-- Entries of one chain, newest first.
--
-- Parameters: $1 chain (tenant, 0 = the installation), $2 from this id and $3 before this id,
--   $4 from and $5 to (instants or null), $6 action or null (a * at the end matches a prefix),
--   $7 kind of the target or null, $8 its id or name or null, $9 id or name of the actor or null,
--   $10 most rows
-- Returns: the fields of an entry as they are sealed, then seq and hash (null while it is not
--   sealed)
-- Types: at_us!
-- Locks: none. Index: audit_log_chain backwards, audit_seals_entry_id_key.
select
  l.id, l.tenant_id, (extract(epoch from l.at) * 1000000)::bigint as at_us, l.actor_kind, l.actor_id, l.actor_name,
  l.action, l.target_kind, l.target_id, l.target_name, l.before, l.after, l.source_ip, l.request_id,
  l.note,
  s.seq, encode(s.hash, 'hex') as hash
from punctual.audit_log l
left join punctual.audit_seals s on s.entry_id = l.id
where coalesce(l.tenant_id, 0) = $1::integer
  and l.id >= $2::uuid
  and l.id < $3::uuid
  and ($4::timestamptz is null or l.at >= $4::timestamptz)
  and ($5::timestamptz is null or l.at < $5::timestamptz)
  and (
    $6::text is null
    or l.action = $6::text
    or (right($6::text, 1) = '*' and starts_with(l.action, left($6::text, -1)))
  )
  and ($7::text is null or l.target_kind = $7::text)
  and ($8::text is null or l.target_id = $8::text or l.target_name = $8::text)
  and ($9::text is null or l.actor_id = $9::text or l.actor_name = $9::text)
order by l.id desc
limit $10::integer
