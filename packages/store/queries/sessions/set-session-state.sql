-- Stores the state of a worker and its handlers.
--
-- Parameters: $1 session, $2 state, $3 handlers text[], $4 stuck jsonb
-- Returns: nothing
-- Locks: the row. Index: primary key.
update punctual.sessions set state = $2::text, handlers = $3::text[], stuck = $4::jsonb where id = $1::bigint
