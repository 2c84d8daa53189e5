-- Deletes a job. Its runs and its ledger stay.
--
-- Parameters: $1 job, $2 the clock in ms
-- Returns: nothing
-- Locks: jobs, cursors. Index: primary keys.
with kept as (
  insert into punctual.job_versions (
    job_id, until_at, anchor_at, end_at, tenant_id, version, timing, change)
  select c.job_id, to_timestamp($2::float8 / 1000), c.anchor_at, c.end_at, c.tenant_id, c.version, c.timing, 'deleted'
  from punctual.cursors c
  where c.job_id = $1::uuid
),
skips as (
  delete from punctual.slot_skips where job_id = $1::uuid
),
placed as (
  delete from punctual.cursors where job_id = $1::uuid
)
delete from punctual.jobs where id = $1::uuid
