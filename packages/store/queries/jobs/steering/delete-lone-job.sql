-- Deletes a job that has lost its cursor, so there is no cursor to lock. Its runs and its ledger
-- stay. Its anchor was lost with the cursor: its start, or its creation time, is recorded instead.
--
-- Parameters: $1 job
-- Returns: its id if it existed without a cursor
-- Locks: jobs. Index: primary keys.
with gone as (
  delete from punctual.jobs j
  where j.id = $1::uuid and not exists (select from punctual.cursors c where c.job_id = j.id)
  returning j.id, j.tenant_id, j.timing, coalesce(j.start_at, date_trunc('milliseconds', j.created_at)) as anchor_at
),
kept as (
  insert into punctual.job_versions (job_id, until_at, anchor_at, end_at, tenant_id, version, timing, change)
  select
    g.id, clock_timestamp(), g.anchor_at, null, g.tenant_id,
    1 + coalesce((select max(v.version) from punctual.job_versions v where v.job_id = g.id), 0), g.timing, 'deleted'
  from gone g
),
skips as (
  delete from punctual.slot_skips where job_id in (select id from gone)
)
select id from gone
