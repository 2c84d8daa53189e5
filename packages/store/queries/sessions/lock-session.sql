-- Waits for a claim of the session that is in progress, and keeps the next one out until the
-- transaction ends. Sent before close-session, which then sees the leases of that claim.
--
-- Parameters: $1 session
-- Returns: id; no row when the session is closed
-- Locks: the row. Index: primary key.
select id from punctual.sessions where id = $1::bigint for update
