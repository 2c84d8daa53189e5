-- The status of a transaction whose reply was lost. It writes a WAL message, so that its own commit
-- waits for the synchronous standby: otherwise, when a server dies, the commit in question could be
-- visible there before it has reached the standby.
--
-- Parameters: $1 transaction id, as text
-- Returns: one row: committed, aborted, in progress, or null when it is no longer known; the WAL
--   position of the message
-- Locks: none. Index: none.
select pg_xact_status($1::text::xid8) as status, pg_logical_emit_message(true, 'punctual', '') as written_at
