-- Deletes rates that were not used in the last hour: when used again, a new rate starts in the same
-- state.
--
-- Parameters: none
-- Returns: one row: the number of rates
-- Types: rows!
-- Locks: the old rows. Index: none: scans the whole table at intervals.
with bound as materialized (
  select (date_part('epoch', clock_timestamp()) * 1000000)::bigint - 3600000000 as us
),
old as (
  delete from punctual.rates where next_us < (select us from bound) returning 1
),
used as (
  delete from punctual.rate_starts where used_us < (select us from bound)
)
select count(*) as rows from old
