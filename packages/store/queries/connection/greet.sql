-- What a new connection asks first: the clock, which backend answers, and whether this is the
-- primary. The timeline is new after a fail-over.
--
-- Parameters: none
-- Returns: one row: ms, pid, timeline (null on a standby)
-- Types: ms!, pid!
-- Locks: none. Index: none.
select
  extract(epoch from clock_timestamp())::float8 * 1000 as ms,
  pg_backend_pid() as pid,
  case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline
