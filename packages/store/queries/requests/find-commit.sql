-- What became of a transaction whose answer was lost. It writes to the log, so that its own commit waits for the synchronous
-- standby: when a server dies, the commit that is asked about may be seen on it before it has got there.
--
-- Parameters: $1 number of the transaction, as text
-- Returns: one row: committed, aborted, in progress, or null when nobody knows any more; where it was written
-- Locks: none. Index: none.
select pg_xact_status($1::text::xid8) as status, pg_logical_emit_message(true, 'punctual', '') as written_at
