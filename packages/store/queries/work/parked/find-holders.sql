-- Which sessions hold some runs.
--
-- Parameters: $1 run ids uuid[]
-- Returns: run_id, session_id
-- Locks: none. Index: primary key.
select run_id, session_id from punctual.leases where run_id = any ($1::uuid[])
