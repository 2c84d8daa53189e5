-- Forgets rates that nothing has asked for in the last hour: one that is asked for again begins as it would have gone on.
--
-- Parameters: none
-- Returns: one row: how many
-- Locks: the old rows. Index: none: a look at all of them, now and then.
with bound as materialized (
  select (date_part('epoch', clock_timestamp()) * 1000000)::bigint - 3600000000 as us
),
old as (
  delete from punctual.rates where next_us < (select us from bound) returning 1
),
used as (
  delete from punctual.rate_starts where used_us < (select us from bound)
)
select count(*) from old
