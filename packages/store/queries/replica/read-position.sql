-- Which database this is, and its WAL position: on a primary what was written, on a standby what
-- was replayed.
--
-- Parameters: none
-- Returns: one row: cluster and database, whether it is a standby, the commit time of the last
--   replayed transaction (ms, by the clock of the primary), the WAL position, the newest migration,
--   whether this role is a member of the tenant role
-- Types: identity!, standby!, position bigint!, migration!, may_be_tenant!
-- Locks: none. Index: primary key.
select
  (select system_identifier from pg_control_system())
    || '/' || (select oid from pg_database where datname = current_database()) as identity,
  pg_is_in_recovery() as standby,
  extract(epoch from pg_last_xact_replay_timestamp())::float8 * 1000 as replayed_ms,
  (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end) - '0/0'::pg_lsn as position,
  (select max(version) from punctual.migrations) as migration,
  punctual.may_be_tenant() as may_be_tenant
