-- Leases of a session that its process does not know of: the reply to their claim was lost.
--
-- Parameters: $1 session, $2 known fences bigint[]
-- Returns: id of the run, fence
-- Types: fence bigint
-- Locks: none. Index: none; the table is small, and this is asked once a minute or after an error.
select run_id as id, fence
from punctual.leases
where session_id = $1::bigint and fence <> all ($2::bigint[])
limit 10000
