-- Keeps the latest progress of running attempts.
--
-- Parameters: $1 run ids uuid[], $2 fences bigint[], $3 progress as JSON text[]
-- Returns: nothing
-- Locks: leases. Index: primary key. Pinned: nested loops.
update punctual.leases l
set progress = i.progress
from unnest($1::uuid[], $2::bigint[], $3::text[]) as i (run_id, fence, progress)
where l.run_id = i.run_id and l.fence = i.fence
