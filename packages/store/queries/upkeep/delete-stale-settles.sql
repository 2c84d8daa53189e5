-- Deletes records of refused outcomes, and dead letters, beyond the retention.
--
-- Parameters: $1 days
-- Returns: one row: how many
-- Locks: the old rows. Index: dead_letters_died; stale_settles is small.
with old as (
  delete from punctual.stale_settles
  where refused_at < clock_timestamp() - $1::integer * interval '1 day'
  returning 1
),
letters as (
  delete from punctual.dead_letters
  where died_at < clock_timestamp() - $1::integer * interval '1 day'
  returning 1
)
select (select count(*) from old) + (select count(*) from letters)
