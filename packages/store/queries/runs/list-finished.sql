-- Runs of one range of ids (a day) that have ended, latest due first.
--
-- Parameters: $1 tenant, $2 queue or null, $3 handler or null, $4 states smallint[], $5 from id,
--   $6 before id, $7 most rows
-- Returns: id, state, handler, queue, priority, due_at, attempt, finished_at, error, reason
-- Locks: none. Index: primary key of outcomes, one day.
select
  o.run_id as id, o.state, c.handler, c.queue, c.priority, r.due_at, o.attempt, o.finished_at,
  o.error ->> 'message' as error, o.reason
from punctual.outcomes o
join punctual.lanes c on c.id = o.lane
join punctual.runs r on r.id = o.run_id
where o.run_id >= $5::uuid and o.run_id < $6::uuid
  and r.id >= $5::uuid and r.id < $6::uuid
  and o.tenant_id = $1::integer and o.state = any ($4::smallint[])
  and ($2::text is null or c.queue = $2::text) and ($3::text is null or c.handler = $3::text)
order by o.run_id desc
limit $7::integer
