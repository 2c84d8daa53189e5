-- Workers that were lost at or after an instant, in order, a page at a time.
--
-- Parameters: $1 from in ms, $2 ended_at and $3 id of the last row of the previous page
--   (null = the first page), $4 most rows
-- Returns: xmin and xmax of the snapshot, the time of the statement in ms, id, at, host, pid. When
--   there is no worker, one row that is null after the time.
-- Types: xmin number!, xmax number!, now_ms!, id!, at text!, host!, pid!
-- Optional: end from id
-- Locks: none. Index: past_sessions_ended.
select
  pg_snapshot_xmin(s.snapshot) as xmin, pg_snapshot_xmax(s.snapshot) as xmax,
  extract(epoch from statement_timestamp())::float8 * 1000 as now_ms, p.id, p.at, p.host, p.pid
from (select pg_current_snapshot() as snapshot) s
left join lateral (
  select id, ended_at as at, host, pid
  from punctual.past_sessions
  where fenced and ended_at >= to_timestamp($1::float8 / 1000)
    and ($3::bigint is null or (ended_at, id) > ($2::timestamptz, $3::bigint))
  order by ended_at, id
  limit $4::integer
) p on true
order by p.at, p.id
