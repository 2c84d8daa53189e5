-- How many runs wait and run in each lane. Counting stops at 10,000 per lane, so that it stays
-- cheap with a backlog of millions.
--
-- Parameters: $1 tenant (null = all)
-- Returns: tenant_id, queue, handler, priority, paused, due, waiting (both up to 10,000),
--   oldest_ms, running
-- Types: tenant_id!, queue!, handler!, priority!, paused!, due!, waiting!, running!
-- Locks: none. Index: queue_lane_pos; leases are few.
with bound as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
),
running as materialized (
  select lane, count(*)::integer as runs from punctual.leases group by lane
)
select
  c.tenant_id, c.queue, c.handler, c.priority,
  exists (
    select from punctual.pauses p
    where p.tenant_id = c.tenant_id and coalesce(p.queue, '') = any (array[c.queue, ''])
  ) as paused,
  q.due, q.waiting, q.oldest_ms, coalesce(r.runs, 0) as running
from punctual.lanes c
left join running r on r.lane = c.id
cross join lateral (
  select
    count(*) filter (where p.pos >> :pos.shift <= bound.ms)::integer as due,
    count(*) filter (where p.pos >> :pos.shift > bound.ms)::integer as waiting,
    greatest(0, bound.ms - min(p.pos >> :pos.shift)) as oldest_ms
  from bound
  left join lateral (
    select pos from punctual.queue where lane = c.id order by pos limit 10000
  ) p on true
  group by bound.ms
) q
where $1::integer is null or c.tenant_id = $1::integer
order by c.tenant_id, c.queue, c.handler, c.priority desc
