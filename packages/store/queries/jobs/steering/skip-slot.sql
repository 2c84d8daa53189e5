-- Requests that a future slot be skipped, even if it is planned again.
--
-- Parameters: $1 job, $2 slot in ms, $3 tenant, $4 who requested it, $5 how many runs were
--   withdrawn, $6 next slot in ms of a job that has none because max_runs was reached, or null
-- Returns: nothing
-- Locks: the new row; the caller holds the cursor. Index: primary keys.
with asked as (
  insert into punctual.slot_skips (job_id, slot_at, tenant_id, asked_by)
  values ($1::uuid, to_timestamp($2::float8 / 1000), $3::integer, $4::text)
  on conflict do nothing
)
update punctual.cursors
set
  asked_skips = least(32000, asked_skips + 1), version = version + 1, runs_left = runs_left + $5::integer,
  next_at = coalesce(next_at, to_timestamp($6::float8 / 1000))
where job_id = $1::uuid
