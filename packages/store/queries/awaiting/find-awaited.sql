-- The lease of a run, of a worker or of none: a callback may arrive before its 202 is recorded.
--
-- Parameters: $1 run
-- Returns: as work/read-leases, and the session, ms since the attempt started, whether the run is to
--   end
-- Types: fence bigint, gate bigint, limited!, started_ago_ms!, cancels!
-- Locks: none. Index: primary keys. Pinned: nested loops.
select
  l.run_id as id, l.fence, l.lane, l.tenant_id, n.handler, n.queue, n.priority, l.attempt, l.crashes, l.traits, l.job_id,
  l.gate, l.queue_limit is not null or l.tenant_limit is not null as limited, l.session_id,
  greatest(0, extract(epoch from clock_timestamp() - coalesce(l.started_at, l.claimed_at)) * 1000)::float8
    as started_ago_ms,
  l.cancel_reason is not null as cancels
from punctual.leases l
join punctual.lanes n on n.id = l.lane
where l.run_id = $1::uuid
