-- Notifies listeners, when the transaction commits, of groups that were created, added to or
-- closed.
--
-- Parameters: $1 channel, $2 hint
-- Returns: nothing
-- Locks: none. Index: none.
-- Some clients cannot read a column of type void.
select pg_notify($1::text, $2::text)::text
