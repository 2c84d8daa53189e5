-- Pauses a job: none of its slots is planned until it is resumed.
--
-- Parameters: $1 job, $2 note, $3 the clock in ms, $4 last future slot whose decision stays in ms
--   or null, $5 how many runs are left or null, $6 last slot decided in ms
-- Returns: nothing
-- Locks: jobs; the caller holds the cursor. Index: primary keys.
with halted as (
  update punctual.cursors
  set
    next_at = null, paused = true, version = version + 1, runs_left = $5::integer,
    cursor_at = greatest(
      least(greatest(cursor_at, to_timestamp($6::float8 / 1000)), to_timestamp($3::float8 / 1000)),
      to_timestamp($4::float8 / 1000))
  where job_id = $1::uuid
)
update punctual.jobs
set paused_at = clock_timestamp(), paused_note = $2::text, version = version + 1
where id = $1::uuid
