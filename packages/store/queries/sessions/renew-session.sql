-- Extends the lease of a session. An expired session that was not reaped yet is extended too; a
-- reaped one no longer exists.
--
-- Parameters: $1 session
-- Returns: id, the database's clock in ms, and whether it was asked to drain; no row when the
--   session was fenced
-- Types: now_ms!, drains!
-- Locks: the row (not its key: claims continue). Index: primary key.
update punctual.sessions
set renewed_at = clock_timestamp(), expires_at = clock_timestamp() + lease_ms * interval '1 millisecond'
where id = $1::bigint
returning
  id, extract(epoch from clock_timestamp())::float8 * 1000 as now_ms, drain_asked_at is not null as drains
