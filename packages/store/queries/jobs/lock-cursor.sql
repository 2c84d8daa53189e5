-- Takes the cursor of a job for a change: planners pass it by until the change is committed.
--
-- Parameters: $1 job
-- Returns: one row: the cursor in ms; none when the job is gone
-- Locks: cursors. Index: primary key.
select (extract(epoch from cursor_at) * 1000)::bigint as cursor_ms
from punctual.cursors
where job_id = $1::uuid
for update
