-- Dead letters, the last to die first, a page at a time.
--
-- Parameters: $1 tenant, $2 queue, $3 handler, $4 job, $5 fingerprint, $6 reason, $7 died from and
--   $8 died before in ms (each null = any), $9 only handled ones, or only open ones (null = both),
--   $10 after this one or null, $11 most rows
-- Returns: the columns of a dead letter (dead-letters/rows.ts)
-- Locks: none. Index: dead_letters_open for open ones.
select
  d.run_id, l.handler, l.queue, l.priority, d.job_id, j.name as job, d.reason, d.fingerprint, d.died_at,
  d.handled_at, d.handling, d.replayed_as, d.note, d.handled_by
from punctual.dead_letters d
join punctual.lanes l on l.id = d.lane
left join punctual.jobs j on j.id = d.job_id
where d.tenant_id = $1::integer
  and ($2::text is null or l.queue = $2::text) and ($3::text is null or l.handler = $3::text)
  and ($4::uuid is null or d.job_id = $4::uuid) and ($5::text is null or d.fingerprint = $5::text)
  and ($6::text is null or d.reason = $6::text)
  and ($7::bigint is null or d.died_at >= to_timestamp($7::float8 / 1000))
  and ($8::bigint is null or d.died_at < to_timestamp($8::float8 / 1000))
  -- Spelled out, so that a plan for open dead letters matches the predicate of their index.
  and ($9::boolean is null or ($9::boolean and d.handled_at is not null) or (not $9::boolean and d.handled_at is null))
  and (
    $10::uuid is null
    or (d.died_at, d.run_id) < (
      select a.died_at, a.run_id
      from punctual.dead_letters a
      where a.run_id = $10::uuid and a.tenant_id = $1::integer))
order by d.died_at desc, d.run_id desc
limit $11::integer
