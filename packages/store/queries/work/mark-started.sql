-- Commits that attempts are about to start: what dies after this is known to have started.
--
-- Parameters: $1 run ids uuid[], $2 fences bigint[]
-- Returns: run_id of those that are still ours
-- Locks: leases. Index: primary key. Pinned: nested loops.
update punctual.leases l
set started_at = clock_timestamp()
from unnest($1::uuid[], $2::bigint[]) as i (run_id, fence)
where l.run_id = i.run_id and l.fence = i.fence
returning l.run_id
