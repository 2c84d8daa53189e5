-- Runs whose targets should have reported by now, or whose states are to be looked up. Each is moved
-- on first, so that another process does not look at the same time.
--
-- Parameters: $1 most runs, $2 in how many ms to look again
-- Returns: as work/read-leases, and ms since the attempt started, whether the time is over, the
--   address of its state
-- Types: id!, fence bigint!, gate bigint, lane!, tenant_id!, handler!, queue!, priority!, attempt!, crashes!, traits!,
--   limited!, started_ago_ms!, over!
-- Locks: leases (skip locked). Index: leases_wake. Pinned: no sequential scan.
with woken as (
  update punctual.leases l
  set wake_at = clock_timestamp() + $2::bigint * interval '1 millisecond'
  where l.run_id = any (array(
    select run_id from punctual.leases
    where wake_at <= clock_timestamp() and session_id = 0
    order by wake_at
    limit $1::integer
    for update skip locked))
  returning
    l.run_id, l.fence, l.lane, l.tenant_id, l.attempt, l.crashes, l.traits, l.job_id, l.gate,
    l.queue_limit is not null or l.tenant_limit is not null as limited,
    greatest(0, extract(epoch from clock_timestamp() - coalesce(l.started_at, l.claimed_at)) * 1000)::float8
      as started_ago_ms,
    l.deadline_at <= clock_timestamp() as over, l.status_url
)
select
  w.run_id as id, w.fence, w.lane, w.tenant_id, n.handler, n.queue, n.priority, w.attempt, w.crashes, w.traits, w.job_id,
  w.gate, w.limited, w.started_ago_ms, w.over, w.status_url
from woken w
join punctual.lanes n on n.id = w.lane
