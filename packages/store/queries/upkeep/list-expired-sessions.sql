-- Sessions whose lease has expired, and the server instance that reports them.
--
-- Parameters: none
-- Returns: incarnation (changes when the server restarts or another one takes over), ids, longest
--   lease in ms, ms until the next lease expires (null when there is none), whether any run is
--   parked, shortest lease in ms (null when there is none)
-- Types: incarnation!, session_ids!, lease_ms!, parked!
-- Locks: none. Index: none; the table is small.
select
  concat_ws(' ', pg_postmaster_start_time(),
    left(pg_walfile_name(pg_current_wal_lsn()), 8)) as incarnation,
  coalesce(array_agg(id::text) filter (where expires_at <= clock_timestamp()), '{}') as session_ids,
  coalesce(max(lease_ms), 0) as lease_ms,
  ceil(extract(epoch from min(expires_at) filter (where expires_at > clock_timestamp()) - clock_timestamp())::float8 * 1000) as next_in_ms,
  exists (select from punctual.parked) as parked,
  min(lease_ms) as shortest_lease_ms
from punctual.sessions
