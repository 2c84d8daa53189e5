-- Ends a session that holds nothing any more, and remembers it for a while.
--
-- Parameters: $1 session
-- Returns: id when it was closed; no row while it still has leases, which the reaper then takes
-- Locks: the row. Index: primary key; leases are few.
with closed as (
  delete from punctual.sessions
  where id = $1::bigint
    and not exists (select from punctual.leases where session_id = $1::bigint)
  returning id, opened_at, pid, capacity, host, version, handlers, queues, labels
)
insert into punctual.past_sessions (
  id, opened_at, ended_at, pid, capacity, fenced, host, version, handlers, queues, labels)
select id, opened_at, clock_timestamp(), pid, capacity, false, host, version, handlers, queues, labels
from closed
-- One that was opened at the moment when it was closed is remembered as it ended last.
on conflict (id) do update
  set
    opened_at = excluded.opened_at, ended_at = excluded.ended_at, pid = excluded.pid, capacity = excluded.capacity,
    fenced = excluded.fenced, host = excluded.host, version = excluded.version, handlers = excluded.handlers,
    queues = excluded.queues, labels = excluded.labels
returning id
