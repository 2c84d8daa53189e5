-- Deletes records of workers that ended more than a day ago.
--
-- Parameters: none
-- Returns: one row: the number of rows
-- Types: rows!
-- Locks: the old rows. Index: past_sessions_ended.
with old as (
  delete from punctual.past_sessions
  where ended_at < clock_timestamp() - interval '1 day'
  returning 1
)
select count(*) as rows from old
