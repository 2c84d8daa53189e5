-- Ends a session that holds nothing any more.
--
-- Parameters: $1 session
-- Returns: id when it was closed; no row while it still has leases, which the reaper then takes
-- Locks: the row. Index: primary key; leases are few.
delete from punctual.sessions
where id = $1::bigint
  and not exists (select from punctual.leases where session_id = $1::bigint)
returning id
