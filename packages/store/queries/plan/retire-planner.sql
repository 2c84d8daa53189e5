-- Removes a planner that ends, so that the others need not wait until it expires.
--
-- Parameters: $1 planner
-- Returns: nothing
-- Locks: its own row. Index: primary key.
delete from punctual.planners where id = $1::bigint
