-- Deletes one-time jobs whose slot is older than the retention and whose runs have all been
-- deleted. The ledger no longer has their slots, so nothing needs their rules. Skips jobs that
-- another transaction is changing.
--
-- Parameters: $1 days, $2 slot and $3 id of the last job of the previous call, $4 most jobs to
--   read
-- Returns: one row: how many were deleted, how many were read, slot and id of the last one
-- Types: deleted!, looked!, last_slot text
-- Locks: cursors (skip locked), jobs. Index: cursors_once_over, runs_job, primary keys.
with looked as materialized (
  select job_id, cursor_at
  from punctual.cursors
  where once and next_at is null and not paused
    and cursor_at < (select clock_timestamp() - ($1::integer + 1) * interval '1 day')
    and (cursor_at, job_id) > ($2::timestamptz, $3::uuid)
  order by cursor_at, job_id
  limit $4::integer
  for update skip locked
),
gone as materialized (
  select l.job_id
  from looked l
  join punctual.jobs j on j.id = l.job_id
  where j.planning_error is null
    -- `limit 1` makes PostgreSQL search the index of each partition instead of joining all of
    -- history.
    and (select r.id from punctual.runs r where r.job_id = l.job_id limit 1) is null
),
versions as (delete from punctual.job_versions where job_id in (select job_id from gone)),
skips as (delete from punctual.slot_skips where job_id in (select job_id from gone)),
cursors as (delete from punctual.cursors where job_id in (select job_id from gone)),
jobs as (delete from punctual.jobs where id in (select job_id from gone))
select
  (select count(*) from gone) as deleted, count(*) as looked, max(cursor_at) as last_slot,
  (array_agg(job_id order by cursor_at desc, job_id desc))[1] as last_job
from looked
