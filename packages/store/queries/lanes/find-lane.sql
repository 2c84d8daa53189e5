-- The id of a lane.
--
-- Parameters: $1 tenant, $2 queue, $3 handler, $4 priority
-- Returns: id
-- Locks: none. Index: unique (tenant_id, queue, handler, priority).
select id
from punctual.lanes
where tenant_id = $1::integer and queue = $2::text and handler = $3::text and priority = $4::smallint
