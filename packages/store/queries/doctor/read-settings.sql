-- The server settings that the guarantees depend on, and the server's identity.
--
-- Parameters: none
-- Returns: version_num, version, in_recovery, timeline (null on a standby), started_at, and the
--   settings by name
-- Types: version_num number!, version!, in_recovery!, started_at!, data_checksums!, read_only!,
--   fsync!, full_page_writes!, synchronous_commit!, standby_names!, autovacuum!, track_counts!,
--   max_connections number!, reserved!, max_locks number!, max_prepared number!,
--   statement_timeout_ms number!, standbys!
-- Locks: none. Index: none.
select
  current_setting('server_version_num') as version_num,
  current_setting('server_version') as version,
  pg_is_in_recovery() as in_recovery,
  case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline,
  pg_postmaster_start_time() as started_at,
  current_setting('data_checksums') as data_checksums,
  current_setting('transaction_read_only') as read_only,
  current_setting('fsync') as fsync,
  current_setting('full_page_writes') as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('synchronous_standby_names') as standby_names,
  current_setting('autovacuum') as autovacuum,
  current_setting('track_counts') as track_counts,
  current_setting('max_connections') as max_connections,
  current_setting('superuser_reserved_connections')::integer
    + coalesce(current_setting('reserved_connections', true)::integer, 0) as reserved,
  current_setting('max_locks_per_transaction') as max_locks,
  current_setting('max_prepared_transactions') as max_prepared,
  (select setting from pg_settings where name = 'statement_timeout') as statement_timeout_ms,
  (select count(*) from pg_stat_replication) as standbys
