-- Entries of all chains together, newest first; otherwise like list-entries.
--
-- Parameters: $1 from this id and $2 before this id, $3 from and $4 to (instants or null),
--   $5 action or null (a * at the end matches a prefix), $6 kind of the target or null, $7 its id
--   or name or null, $8 id or name of the actor or null, $9 most rows
-- Returns: the fields of an entry as they are sealed, then seq and hash (null while it is not
--   sealed)
-- Types: at_us!
-- Locks: none. Index: audit_log_pkey backwards, audit_seals_entry_id_key.
select
  l.id, l.tenant_id, (extract(epoch from l.at) * 1000000)::bigint as at_us, l.actor_kind, l.actor_id, l.actor_name,
  l.action, l.target_kind, l.target_id, l.target_name, l.before, l.after, l.source_ip, l.request_id,
  l.note,
  s.seq, encode(s.hash, 'hex') as hash
from punctual.audit_log l
left join punctual.audit_seals s on s.entry_id = l.id
where l.id >= $1::uuid
  and l.id < $2::uuid
  and ($3::timestamptz is null or l.at >= $3::timestamptz)
  and ($4::timestamptz is null or l.at < $4::timestamptz)
  and (
    $5::text is null
    or l.action = $5::text
    or (right($5::text, 1) = '*' and starts_with(l.action, left($5::text, -1)))
  )
  and ($6::text is null or l.target_kind = $6::text)
  and ($7::text is null or l.target_id = $7::text or l.target_name = $7::text)
  and ($8::text is null or l.actor_id = $8::text or l.actor_name = $8::text)
order by l.id desc
limit $9::integer
