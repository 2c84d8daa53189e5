-- The number of open dead letters that match a filter, and until when: runs that die later are not
-- included.
--
-- Parameters: $1 to $8 as for list-letters
-- Returns: one row: letters, until_at
-- Types: letters!, until_at text!
-- Locks: none. Index: dead_letters_open; reads every match.
select count(*) as letters, clock_timestamp() as until_at
from punctual.dead_letters d
join punctual.lanes l on l.id = d.lane
where d.tenant_id = $1::integer and d.handled_at is null
  and ($2::text is null or l.queue = $2::text) and ($3::text is null or l.handler = $3::text)
  and ($4::uuid is null or d.job_id = $4::uuid) and ($5::text is null or d.fingerprint = $5::text)
  and ($6::text is null or d.reason = $6::text)
  and ($7::bigint is null or d.died_at >= to_timestamp($7::float8 / 1000))
  and ($8::bigint is null or d.died_at < to_timestamp($8::float8 / 1000))
