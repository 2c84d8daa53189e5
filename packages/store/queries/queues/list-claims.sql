-- Claims that are under way. Each has locked the table of sessions before it took its snapshot: one that does not see
-- a pause which has committed is in this list until it has ended.
--
-- Parameters: none
-- Returns: virtualtransaction
-- Locks: none. Index: none: it reads the server's memory. A reaper is in it too, and as brief.
select virtualtransaction
from pg_locks
where locktype = 'relation' and mode = 'RowShareLock' and granted
  and database = (select oid from pg_database where datname = current_database())
  and relation = 'punctual.sessions'::regclass
  and pid <> pg_backend_pid()
