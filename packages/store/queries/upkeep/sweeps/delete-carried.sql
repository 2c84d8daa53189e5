-- Deletes carried-over runs that ended before the retention. Their days have no partition of their
-- own any more, so rows are deleted individually; they are few. Each delete names the range of ids,
-- so that it reads the carry-over partitions only.
--
-- Parameters: $1 days
-- Returns: one row: the number of runs
-- Types: rows!
-- Locks: the old rows. Index: primary keys; ids from before the retention are in the carry-over
--   partitions.
with gone as (
  delete from punctual.outcomes
  where finished_at < statement_timestamp() - $1::integer * interval '1 day'
    and run_id <
      -- include: retention-id
  returning run_id
),
runs as (
  delete from punctual.runs
  where id in (select run_id from gone)
    and id <
      -- include: retention-id
),
attempts as (
  delete from punctual.attempts
  where run_id in (select run_id from gone)
    and run_id <
      -- include: retention-id
),
checkpoints as (
  delete from punctual.checkpoints
  where run_id in (select run_id from gone)
    and run_id <
      -- include: retention-id
),
logs as (
  delete from punctual.run_logs
  where run_id in (select run_id from gone)
    and run_id <
      -- include: retention-id
)
select count(*) as rows from gone
