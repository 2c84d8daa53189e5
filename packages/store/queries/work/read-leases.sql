-- Those of some runs that a session holds, and what their leases tell of them.
--
-- Parameters: $1 session, $2 run ids uuid[]
-- Returns: id of the run, fence, lane, tenant_id, handler, queue, priority, attempt, crashes, traits, job_id, gate, whether it
--   counts towards a limit
-- Types: fence bigint, gate bigint, limited!
-- Locks: none. Index: primary keys. Pinned: nested loops.
select
  l.run_id as id, l.fence, l.lane, l.tenant_id, n.handler, n.queue, n.priority, l.attempt, l.crashes, l.traits, l.job_id,
  l.gate, l.limited
from unnest($2::uuid[]) as i (run_id)
cross join lateral (
  select
    run_id, fence, lane, tenant_id, attempt, crashes, traits, job_id, gate,
    queue_limit is not null or tenant_limit is not null as limited
  from punctual.leases
  where run_id = i.run_id and session_id = $1::bigint
  limit 1
) l
join punctual.lanes n on n.id = l.lane
