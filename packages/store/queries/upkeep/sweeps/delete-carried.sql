-- Deletes carried-over runs that ended before the retention. Their days have no partition of their
-- own any more, so rows are deleted individually; they are few.
--
-- Parameters: $1 days
-- Returns: one row: the number of runs
-- Locks: the old rows. Index: primary keys; ids from before the retention are in the carry-over
--   partitions.
with gone as (
  delete from punctual.outcomes
  where finished_at < clock_timestamp() - $1::integer * interval '1 day'
    and run_id < (lpad(to_hex(floor(extract(epoch from clock_timestamp() - ($1::integer + 1) * interval '1 day') * 1000)::bigint), 12, '0')
      || '00000000000000000000')::uuid
  returning run_id
),
runs as (delete from punctual.runs where id in (select run_id from gone)),
attempts as (delete from punctual.attempts where run_id in (select run_id from gone)),
checkpoints as (delete from punctual.checkpoints where run_id in (select run_id from gone)),
logs as (delete from punctual.run_logs where run_id in (select run_id from gone))
select count(*) from gone
