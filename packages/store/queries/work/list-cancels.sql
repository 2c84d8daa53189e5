-- Runs of a worker whose handlers are to end: they are asked to, or they belong to somebody else by now.
--
-- Parameters: $1 run ids uuid[], $2 fences bigint[]
-- Returns: fence, reason (null when the lease is gone); a worker may hold two fences of one run, of which one is stale
-- Types: fence bigint!
-- Locks: none. Index: primary key. Pinned: no sequential scan.
select i.fence, l.cancel_reason
from unnest($1::uuid[], $2::bigint[]) as i (run_id, fence)
-- Limited, so that each is looked up by its id: as a join it may walk all rows that are gone.
left join lateral (
  select true as ours, cancel_reason
  from punctual.leases
  where run_id = i.run_id and fence = i.fence
  limit 1
) l on true
where l.ours is null or l.cancel_reason is not null
