-- The next open dead letters that match a filter, the first to die first.
--
-- Parameters: $1 to $8 as for list-letters, $9 died up to this, $10 after this one or null,
--   $11 most rows
-- Returns: run_id, in order
-- Locks: none. Index: dead_letters_open.
select d.run_id
from punctual.dead_letters d
join punctual.lanes l on l.id = d.lane
where d.tenant_id = $1::integer and d.handled_at is null and d.died_at <= $9::timestamptz
  and ($2::text is null or l.queue = $2::text) and ($3::text is null or l.handler = $3::text)
  and ($4::uuid is null or d.job_id = $4::uuid) and ($5::text is null or d.fingerprint = $5::text)
  and ($6::text is null or d.reason = $6::text)
  and ($7::bigint is null or d.died_at >= to_timestamp($7::float8 / 1000))
  and ($8::bigint is null or d.died_at < to_timestamp($8::float8 / 1000))
  and (
    $10::uuid is null
    or (d.died_at, d.run_id) > (select a.died_at, a.run_id from punctual.dead_letters a where a.run_id = $10::uuid))
order by d.died_at, d.run_id
limit $11::integer
