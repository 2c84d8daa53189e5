-- Marks the slots of a job up to one of them as decided.
--
-- Parameters: $1 job, $2 next slot in ms or null, $3 last slot decided in ms, $4 how many runs are
--   left or null
-- Returns: nothing
-- Locks: none; the caller holds the cursor. Index: primary key.
update punctual.cursors
set
  next_at = to_timestamp($2::float8 / 1000), cursor_at = greatest(cursor_at, to_timestamp($3::float8 / 1000)),
  runs_left = $4::integer
where job_id = $1::uuid
