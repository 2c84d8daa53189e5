-- Runs of a worker that are asked to end.
--
-- Parameters: $1 run ids uuid[]
-- Returns: run_id, reason
-- Locks: none. Index: primary key. Pinned: no sequential scan.
select run_id, cancel_reason
from punctual.leases
where run_id = any ($1::uuid[]) and cancel_reason is not null
