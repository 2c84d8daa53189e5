-- Runs that wait in the queue or in `later`, soonest first.
--
-- Parameters: $1 tenant, $2 queue or null, $3 handler or null, $4 most rows
-- Returns: id, queued (its time has come), handler, queue, priority, due_at, attempt
-- Locks: none. Index: queue_lane_pos by lane, later_due.
with chosen as materialized (
  select id, queue, handler, priority
  from punctual.lanes
  where tenant_id = $1::integer and ($2::text is null or queue = $2::text)
    and ($3::text is null or handler = $3::text)
),
near as (
  select q.run_id, c.queue, c.handler, c.priority, q.attempt,
    to_timestamp((q.pos >> 20)::float8 / 1000) as at
  from chosen c
  cross join lateral (
    select run_id, pos, attempt from punctual.queue where lane = c.id order by pos limit $4::integer
  ) q
),
far as (
  select w.run_id, c.queue, c.handler, c.priority, w.attempt, w.due_at as at
  from punctual.later w
  join chosen c on c.id = w.lane
  order by w.due_at
  limit $4::integer
)
select run_id as id, at <= clock_timestamp() as queued, handler, queue, priority, at as due_at, attempt
from (table near union all table far) waiting
order by at, run_id
limit $4::integer
