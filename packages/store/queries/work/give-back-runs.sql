-- Returns runs that were claimed and, as their worker knows, not started (a mark may say otherwise, when the answer
-- to it was lost): as they were, to the end of what is due now. Those that were asked
-- to end are left for settle-cancelled.
--
-- Parameters: $1 run ids uuid[], $2 fences bigint[]
-- Returns: lane of each that was returned
-- Locks: leases. Index: primary keys. Pinned: nested loops.
with taken as (
  delete from punctual.leases l
  using unnest($1::uuid[], $2::bigint[]) as i (run_id, fence)
  where l.run_id = i.run_id and l.fence = i.fence and l.cancel_reason is null
  returning l.run_id, l.tenant_id, l.lane, l.attempt, l.crashes, l.traits, l.job_id
)
insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
select
  run_id, floor(extract(epoch from clock_timestamp()) * 1000)::bigint << :pos.shift, tenant_id, lane, attempt,
  crashes, traits, job_id
from taken
returning lane
