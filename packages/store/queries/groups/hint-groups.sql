-- Hints at groups that were made, added to or closed, with the commit of whoever did so.
--
-- Parameters: $1 channel, $2 hint
-- Returns: nothing
-- Locks: none. Index: none.
-- Some clients cannot read what has no type.
select pg_notify($1::text, $2::text)::text
