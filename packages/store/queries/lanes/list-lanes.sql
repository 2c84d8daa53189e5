-- The lanes that a worker with these handlers and queues can take from, highest priority first.
--
-- Parameters: $1 handlers text[] (null = all), $2 queues text[] (null or empty = all)
-- Returns: id, tenant_id, queue, handler, priority, paused
-- Locks: none. Index: none; the table is small.
select id, tenant_id, queue, handler, priority, paused_at is not null as paused
from punctual.lanes
where ($1::text[] is null or handler = any ($1::text[]))
  and (coalesce(cardinality($2::text[]), 0) = 0 or queue = any ($2::text[]))
order by priority desc, id
