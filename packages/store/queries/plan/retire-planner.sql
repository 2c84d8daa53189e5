-- A planner ends: the others need not wait for it to expire.
--
-- Parameters: $1 planner
-- Returns: nothing
-- Locks: own row. Index: primary key.
delete from punctual.planners where id = $1::bigint
