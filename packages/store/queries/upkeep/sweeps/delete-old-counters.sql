-- Deletes counters beyond the retention.
--
-- Parameters: $1 days
-- Returns: one row: the number of rows
-- Types: rows!
-- Locks: the old rows. Index: counters_bucket.
with old as (
  delete from punctual.counters
  where bucket_at < clock_timestamp() - $1::integer * interval '1 day'
  returning 1
)
select count(*) as rows from old
