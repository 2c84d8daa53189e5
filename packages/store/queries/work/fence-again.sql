-- Puts leases of a session under other fences, before they are handed to it again: what is still under way under the old
-- ones (giving them back, above all) finds nothing.
--
-- Parameters: $1 session, $2 run ids uuid[], $3 their fences bigint[], $4 their new fences bigint[]
-- Returns: as read-leases, of those that were still there
-- Types: fence bigint, gate bigint, limited!
-- Locks: leases. Index: primary keys. Pinned: nested loops.
with again as (
  update punctual.leases l
  set fence = i.new_fence
  from unnest($2::uuid[], $3::bigint[], $4::bigint[]) as i (run_id, fence, new_fence)
  where l.run_id = i.run_id and l.fence = i.fence and l.session_id = $1::bigint
  returning
    l.run_id, l.fence, l.lane, l.tenant_id, l.attempt, l.crashes, l.traits, l.job_id, l.gate, l.queue_limit,
    l.tenant_limit
)
select
  l.run_id as id, l.fence, l.lane, l.tenant_id, n.handler, n.queue, n.priority, l.attempt, l.crashes, l.traits, l.job_id,
  l.gate, l.queue_limit is not null or l.tenant_limit is not null as limited
from again l
join punctual.lanes n on n.id = l.lane
