-- Deletes history of carried runs whose end is beyond the retention: days older than it have no partition
-- of their own, so their rows are deleted one by one. They are few.
--
-- Parameters: $1 days
-- Returns: one row: how many runs
-- Locks: the old rows. Index: primary keys; the ids before the retention are in the carried partitions.
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
