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
  -- include: run-filter
order by o.run_id desc
limit $15::integer
