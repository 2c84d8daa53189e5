-- Runs that are held by a worker, longest first.
--
-- Parameters: $1 tenant, $2 queue or null, $3 handler or null, $4 most rows
-- Returns: id, handler, queue, priority, due_at, attempt, claimed_at, session_id, whether it was asked to end
-- Locks: none. Index: none; leases are few. The due time is read by id.
select l.run_id as id, c.handler, c.queue, c.priority, r.due_at, l.attempt, l.claimed_at, l.session_id,
  l.cancel_reason is not null as cancelling
from punctual.leases l
join punctual.lanes c on c.id = l.lane
join punctual.runs r on r.id = l.run_id
where l.tenant_id = $1::integer and ($2::text is null or c.queue = $2::text)
  and ($3::text is null or c.handler = $3::text)
order by l.claimed_at
limit $4::integer
