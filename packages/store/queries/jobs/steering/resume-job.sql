-- Resumes a job. Slots that passed meanwhile have one common decision, which the caller has
-- recorded.
--
-- Parameters: $1 job, $2 next slot in ms, $3 anchor in ms, $4 the clock in ms
-- Returns: nothing
-- Locks: jobs; the caller holds the cursor. Index: primary keys.
with going as (
  update punctual.cursors
  set
    next_at = to_timestamp($2::float8 / 1000), anchor_at = to_timestamp($3::float8 / 1000), paused = false,
    failures = 0, version = version + 1, cursor_at = greatest(cursor_at, to_timestamp($4::float8 / 1000))
  where job_id = $1::uuid
)
update punctual.jobs
set paused_at = null, paused_note = null, planning_error = null, version = version + 1
where id = $1::uuid
