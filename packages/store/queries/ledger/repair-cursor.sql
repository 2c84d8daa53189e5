-- Moves the cursor of a job to the first undecided slot, unless the job has changed since it was
-- read.
--
-- Parameters: $1 job, $2 version, $3 next slot as read in ms or null, $4 cursor as read in ms,
--   $5 the slot in ms
-- Returns: job_id if the cursor was moved
-- Locks: cursors. Index: primary key. Pinned: no sequential scan.
update punctual.cursors
set next_at = to_timestamp($5::float8 / 1000)
where job_id = $1::uuid and version = $2::integer and not paused and (runs_left is null or runs_left > 0)
  and next_at is not distinct from to_timestamp($3::float8 / 1000)
  and (extract(epoch from cursor_at) * 1000)::bigint = $4::bigint
returning job_id
