-- Runs that died at or after an instant, in order of death, a page at a time. Includes dead letters
-- that have been handled since.
--
-- Parameters: $1 tenant, $2 from in ms, $3 died_at and $4 id of the last row of the
--   previous page (null = the first page), $5 most rows
-- Returns: xmin and xmax of the snapshot, the time of the statement in ms, id, at. When there
--   is no run, one row that is null after the time.
-- Types: xmin number!, xmax number!, now_ms!, id!, at text!
-- Optional: end from id
-- Locks: none. Index: dead_letters_open, dead_letters_handled.
select
  pg_snapshot_xmin(s.snapshot) as xmin, pg_snapshot_xmax(s.snapshot) as xmax,
  extract(epoch from statement_timestamp())::float8 * 1000 as now_ms, d.run_id as id, d.at
from (select pg_current_snapshot() as snapshot) s
left join lateral (
  select u.run_id, u.at
  from (
    select run_id, died_at as at
    from punctual.dead_letters
    where tenant_id = $1::integer and handled_at is null and died_at >= to_timestamp($2::float8 / 1000)
    union all
      -- A dead letter is handled after the death, so handled_at bounds this search.
    select run_id, died_at as at
    from punctual.dead_letters
    where tenant_id = $1::integer and handled_at >= to_timestamp($2::float8 / 1000)
      and died_at >= to_timestamp($2::float8 / 1000)
  ) u
  where $4::uuid is null or (u.at, u.run_id) > ($3::timestamptz, $4::uuid)
  order by u.at, u.run_id
  limit $5::integer
) d on true
order by d.at, d.run_id
