-- Claims in progress. Each locks the table of sessions before it takes its snapshot. So a claim
-- that does not see a committed pause stays in this list until it ends.
--
-- Parameters: none
-- Returns: virtualtransaction
-- Types: virtualtransaction!
-- Locks: none. Index: none: it reads the lock table in memory. Includes reapers, which are just as
--   brief.
select virtualtransaction
from pg_locks
where locktype = 'relation' and mode = 'RowShareLock' and granted
  and database = (select oid from pg_database where datname = current_database())
  and relation = 'punctual.sessions'::regclass
  and pid <> pg_backend_pid()
