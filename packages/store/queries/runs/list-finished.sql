-- Ended runs in one range of ids (a day), latest due first.
--
-- Parameters: $1 tenant, $2 to $11 the filter (runs/filter-values.ts), $12 states smallint[],
--   $13 from id, $14 before id, $15 most rows
-- Returns: id, state, handler, queue, priority, due_at, attempt, finished_at, error, reason
-- Locks: none. Index: primary key of outcomes, one partition.
select
  o.run_id as id, o.state, c.handler, c.queue, c.priority, r.due_at, o.attempt, o.finished_at,
  o.error ->> 'message' as error, o.reason
from punctual.outcomes o
join punctual.lanes c on c.id = o.lane
join punctual.runs r on r.id = o.run_id
where o.run_id >= $13::uuid and o.run_id < $14::uuid
  and r.id >= $13::uuid and r.id < $14::uuid
  and o.tenant_id = $1::integer and o.state = any ($12::smallint[])
  -- filter: the filter on runs; identical in every statement that has it
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
order by o.run_id desc
limit $15::integer
