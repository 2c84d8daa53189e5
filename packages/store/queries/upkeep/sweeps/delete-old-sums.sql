-- Deletes day sums beyond the retention.
--
-- Parameters: $1 days
-- Returns: one row: the number of rows
-- Types: rows!
-- Locks: the old rows. Index: none; the tables are small compared with history.
with lanes as (
  delete from punctual.lane_days where day < (clock_timestamp() at time zone 'UTC')::date - $1::integer returning 1
),
jobs as (
  delete from punctual.job_days where day < (clock_timestamp() at time zone 'UTC')::date - $1::integer returning 1
),
late as (
  delete from punctual.job_days_late
  where run_id < (lpad(to_hex(floor(extract(epoch from clock_timestamp() - $1::integer * interval '1 day') * 1000)::bigint),
    12, '0') || repeat('0', 20))::uuid
  returning 1
)
select (select count(*) from lanes) + (select count(*) from jobs) + (select count(*) from late) as rows
