-- Runs that died from a time on, the first to die first, a page at a time; also those that somebody has dealt with since.
--
-- Parameters: $1 tenant, $2 from (ms), $3 and $4 died_at and id of the last one of the page before (null = the first
--   page), $5 most
-- Returns: xmin and xmax of the snapshot, the time of the statement in ms, run_id, at. One row with nothing behind the
--   time when there is none.
-- Locks: none. Index: dead_letters_open, dead_letters_handled.
select
  pg_snapshot_xmin(s.snapshot) as xmin, pg_snapshot_xmax(s.snapshot) as xmax,
  extract(epoch from statement_timestamp())::float8 * 1000 as now_ms, d.run_id, d.at
from (select pg_current_snapshot() as snapshot) s
left join lateral (
  select u.run_id, u.at
  from (
    select run_id, died_at as at
    from punctual.dead_letters
    where tenant_id = $1::integer and handled_at is null and died_at >= to_timestamp($2::float8 / 1000)
    union all
    -- It is dealt with after it died.
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
