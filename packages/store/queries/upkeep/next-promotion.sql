-- When the next run enters the horizon.
--
-- Parameters: $1 horizon in ms
-- Returns: one row: in_ms (null when nothing waits)
-- Locks: none. Index: later_due.
select
  ceil(extract(epoch from (select due_at from punctual.later order by due_at limit 1) - clock_timestamp())
    ::float8 * 1000) - $1::bigint as in_ms
