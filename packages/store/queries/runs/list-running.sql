-- Runs that are held by a worker, longest first.
--
-- Parameters: $1 tenant, $2 to $11 the filter (run-filter-values.ts), $12 most rows
-- Returns: id, handler, queue, priority, due_at, attempt, claimed_at, session_id, whether it was asked to end
-- Locks: none. Index: none; leases are few. What it is to do is read by id.
select l.run_id as id, c.handler, c.queue, c.priority, r.due_at, l.attempt, l.claimed_at, l.session_id,
  l.cancel_reason is not null as cancelling
from punctual.leases l
join punctual.lanes c on c.id = l.lane
join punctual.runs r on r.id = l.run_id
where l.tenant_id = $1::integer
  -- filter: which runs people mean, the same in each statement that lists them
  and ($2::text is null or c.queue = $2::text)
  and ($3::text is null or c.handler = $3::text)
  and ($4::uuid is null or r.job_id = $4::uuid)
  and ($5::jsonb is null or r.labels @> $5::jsonb)
  and ($6::text is null or starts_with(r.key, $6::text))
  and ($7::float8 is null or r.due_at >= to_timestamp($7::float8 / 1000))
  and ($8::float8 is null or r.due_at < to_timestamp($8::float8 / 1000))
  and ($9::float8 is null or r.created_at >= to_timestamp($9::float8 / 1000))
  and ($10::float8 is null or r.created_at < to_timestamp($10::float8 / 1000))
  and ($11::uuid[] is null or r.id = any ($11::uuid[]))
  -- end of filter
order by l.claimed_at
limit $12::integer
