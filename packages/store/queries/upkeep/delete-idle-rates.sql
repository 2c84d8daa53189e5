-- Forgets rates that nothing has asked for in the last hour: one that is asked for again begins as it would have gone on.
--
-- Parameters: none
-- Returns: one row: how many
-- Locks: the old rows. Index: none: a look at all of them, now and then.
with old as (
  delete from punctual.rates
  where next_us < (date_part('epoch', clock_timestamp()) * 1000000)::bigint - 3600000000
  returning 1
)
select count(*) from old
