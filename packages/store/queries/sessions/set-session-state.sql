-- Shows what a worker is doing and what it can do.
--
-- Parameters: $1 session, $2 state, $3 handlers text[]
-- Returns: nothing
-- Locks: the row. Index: primary key.
update punctual.sessions set state = $2::text, handlers = $3::text[] where id = $1::bigint
