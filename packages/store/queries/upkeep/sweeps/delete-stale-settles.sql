-- Deletes records of refused outcomes beyond the retention, and dead letters whose runs were
-- dropped with their partition. A run that was carried over keeps its dead letter.
--
-- Parameters: $1 days
-- Returns: one row: the number of rows
-- Types: rows!
-- Locks: the old rows. Index: primary keys, the ids before the retention; stale_settles is small.
with old as (
  delete from punctual.stale_settles
  where refused_at < clock_timestamp() - $1::integer * interval '1 day'
  returning 1
),
letters as (
  delete from punctual.dead_letters d
  where d.run_id < (lpad(to_hex(floor(extract(epoch from clock_timestamp() - $1::integer * interval '1 day') * 1000)::bigint), 12, '0')
      || '00000000000000000000')::uuid
    and not exists (select from punctual.runs r where r.id = d.run_id)
  returning 1
)
select (select count(*) from old) + (select count(*) from letters) as rows
