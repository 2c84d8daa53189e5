-- Locks the cursor of a job for a change: planners skip the job until the change commits.
--
-- Parameters: $1 job
-- Returns: one row: the cursor in ms, whether the tenant is suspended; no row when the job is
--   deleted
-- Types: cursor_ms!, suspended!
-- Locks: cursors. Index: primary key.
select
  (extract(epoch from cursor_at) * 1000)::bigint as cursor_ms,
  tenant_id in (select p.tenant_id from punctual.pauses p where p.of_suspension) as suspended
from punctual.cursors
where job_id = $1::uuid
for update
