-- The lanes that a worker with these handlers and queues can claim from, highest priority first.
--
-- Parameters: $1 handlers text[] (null = all), $2 queues text[] (null or empty = all),
--   $3 tenant (null = all)
-- Returns: id, tenant_id, queue, handler, priority, weight of its tenant, ageing in ms. Includes
--   paused queues, which the claim skips.
-- Locks: none. Index: none; the table is small.
select
  l.id, l.tenant_id, l.queue, l.handler, l.priority,
  (select m.weight from punctual.limits m where m.tenant_id = l.tenant_id and m.queue is null) as weight,
  coalesce(
    (select m.ageing_ms from punctual.limits m where m.tenant_id = l.tenant_id and m.queue = l.queue),
    (select m.ageing_ms from punctual.limits m where m.tenant_id = l.tenant_id and m.queue is null)) as ageing_ms
from punctual.lanes l
where ($1::text[] is null or l.handler = any ($1::text[]))
  and (coalesce(cardinality($2::text[]), 0) = 0 or l.queue = any ($2::text[]))
  and ($3::integer is null or l.tenant_id = $3::integer)
order by l.priority desc, l.id
