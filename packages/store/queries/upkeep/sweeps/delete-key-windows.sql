-- Deletes keys whose window is over and that were not submitted in the last hour: by then, every
-- client that retries a submission has given up.
--
-- Parameters: none
-- Returns: one row: the number of keys
-- Types: rows!
-- Locks: the old rows (skip locked: an open transaction may use them). Index: none: scans the whole
--   table at intervals.
with old as (
  select ctid as place
  from punctual.key_windows
  where used_at < clock_timestamp() - interval '1 hour'
    and (until_at is null or until_at < clock_timestamp())
  for update skip locked
),
forgotten as (
  delete from punctual.key_windows
  where ctid = any (array(select place from old))
  returning 1
)
select count(*) as rows from forgotten
