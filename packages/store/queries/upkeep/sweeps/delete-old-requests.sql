-- Deletes answers to requests that are older than a day.
--
-- Parameters: none
-- Returns: one row: the number of rows
-- Types: rows!
-- Locks: the old rows. Index: requests_answered.
with forgotten as (
  delete from punctual.requests
  where answered_at < clock_timestamp() - interval '24 hours'
  returning 1
)
select count(*) as rows from forgotten
