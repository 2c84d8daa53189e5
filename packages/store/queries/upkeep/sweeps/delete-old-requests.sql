-- Forgets what requests were answered a day ago and longer.
--
-- Parameters: none
-- Returns: one row: how many
-- Locks: the old rows. Index: requests_answered.
with forgotten as (
  delete from punctual.requests
  where answered_at < clock_timestamp() - interval '24 hours'
  returning 1
)
select count(*) from forgotten
