-- Sessions whose lease has expired, one of each tenant in turn, and the server instance that reports
-- them. The reaper fences a few at a time: thousands of one tenant must not delay those of another.
--
-- Parameters: none
-- Returns: incarnation (changes when the server restarts or another one takes over), ids, the lease
--   of each in ms, ms until the next lease expires (null when there is none), whether any run is
--   parked, shortest lease of all sessions in ms (null when there is none)
-- Types: incarnation!, session_ids!, leases_ms!, parked!
-- Locks: none. Index: none; the table is small.
with now as materialized (
  select clock_timestamp() as at
),
expired as materialized (
  select s.id, s.lease_ms, row_number() over (partition by s.tenant_id order by s.id) as turn
  from punctual.sessions s
  where s.expires_at <= (select at from now)
)
select
  concat_ws(' ', pg_postmaster_start_time(),
    left(pg_walfile_name(pg_current_wal_lsn()), 8)) as incarnation,
  (select coalesce(array_agg(id::text order by turn, id), '{}') from expired) as session_ids,
  (select coalesce(array_agg(lease_ms order by turn, id), '{}') from expired) as leases_ms,
  ceil(extract(epoch from
    min(s.expires_at) filter (where s.expires_at > now.at and s.id <> 0) - max(now.at))::float8 * 1000) as next_in_ms,
  exists (select from punctual.parked) as parked,
  min(s.lease_ms) filter (where s.id <> 0) as shortest_lease_ms
from now
left join punctual.sessions s on true
