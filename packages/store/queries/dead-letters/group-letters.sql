-- Dead letters grouped by cause, the largest cause first.
--
-- Parameters: $1 to $8 as for list-letters, $9 only handled ones, or only open ones (null = both),
--   $10 most causes
-- Returns: fingerprint, letters, first_died_at, last_died_at, sample (the last to die), handlers as
--   JSON
-- Types: letters!, first_died_at!, last_died_at!, sample!, handlers Texts!
-- Locks: none. Index: dead_letters_open for open ones; reads every match.
select
  d.fingerprint, count(*) as letters, min(d.died_at) as first_died_at, max(d.died_at) as last_died_at,
  (array_agg(d.run_id order by d.died_at desc))[1] as sample,
  to_json(array_agg(distinct l.handler)) as handlers
from punctual.dead_letters d
join punctual.lanes l on l.id = d.lane
where d.tenant_id = $1::integer
  and ($2::text is null or l.queue = $2::text) and ($3::text is null or l.handler = $3::text)
  and ($4::uuid is null or d.job_id = $4::uuid) and ($5::text is null or d.fingerprint = $5::text)
  and ($6::text is null or d.reason = $6::text)
  and ($7::bigint is null or d.died_at >= to_timestamp($7::float8 / 1000))
  and ($8::bigint is null or d.died_at < to_timestamp($8::float8 / 1000))
  and ($9::boolean is null or ($9::boolean and d.handled_at is not null) or (not $9::boolean and d.handled_at is null))
group by d.fingerprint
order by letters desc, last_died_at desc
limit $10::integer
