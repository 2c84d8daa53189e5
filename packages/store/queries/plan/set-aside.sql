-- Sets aside a job that cannot be planned, with the reason. It waits until it is edited.
--
-- Parameters: $1 job, $2 version as read, $3 reason
-- Returns: nothing
-- Locks: jobs, cursors. Index: primary keys.
with parked as (
  update punctual.cursors
  set next_at = null
  where job_id = $1::uuid and version = $2::integer
  returning job_id
)
update punctual.jobs
set planning_error = $3::text
where id in (select job_id from parked)
