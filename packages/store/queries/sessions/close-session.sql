-- Closes a session without leases, and keeps a record of it. The transaction has to hold the session
-- (lock-session): a claim in progress only shares its lock, and the lease that it commits would be
-- without a session.
--
-- Parameters: $1 session
-- Returns: id if it was closed; no row while it still has leases, which the reaper then takes
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
-- A session can have a record already if it was opened while it was being closed: the last end
-- wins.
on conflict (id) do update
  set
    opened_at = excluded.opened_at, ended_at = excluded.ended_at, pid = excluded.pid, capacity = excluded.capacity,
    fenced = excluded.fenced, host = excluded.host, version = excluded.version, handlers = excluded.handlers,
    queues = excluded.queues, labels = excluded.labels
returning id
