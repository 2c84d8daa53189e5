-- The lanes of runs.
--
-- Parameters: $1 run ids uuid[], $2 tenant
-- Returns: run_id, lane, queue, handler, priority
-- Locks: none. Index: primary keys; the ids prune runs to their partitions. Pinned: no sequential
--   scan.
select r.id as run_id, r.lane, c.queue, c.handler, c.priority
from punctual.runs r
join punctual.lanes c on c.id = r.lane
where r.id = any ($1::uuid[]) and r.tenant_id = $2::integer
