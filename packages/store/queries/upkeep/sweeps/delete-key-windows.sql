-- Forgets keys whose window is over, and that nobody has submitted in the last hour: by then whoever sends a submission
-- again has given up.
--
-- Parameters: none
-- Returns: one row: how many
-- Locks: the old rows (skip locked: an open transaction may have its turn). Index: none: a look at all of them, now and
--   then.
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
select count(*) from forgotten
