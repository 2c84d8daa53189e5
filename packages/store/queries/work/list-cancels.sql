-- Runs of a worker whose handlers are to end: they are asked to, or they belong to somebody else by now.
--
-- Parameters: $1 run ids uuid[], $2 claims bigint[]
-- Returns: run_id, reason (null when the lease is gone)
-- Locks: none. Index: primary key. Pinned: no sequential scan.
select i.run_id, l.cancel_reason
from unnest($1::uuid[], $2::bigint[]) as i (run_id, claim)
left join punctual.leases l on l.run_id = i.run_id and l.claim = i.claim
where l.run_id is null or l.cancel_reason is not null
