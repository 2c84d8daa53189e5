-- Shows what a worker is doing.
--
-- Parameters: $1 session, $2 state
-- Returns: nothing
-- Locks: the row. Index: primary key.
update punctual.sessions set state = $2::text where id = $1::bigint
