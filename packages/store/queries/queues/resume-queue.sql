-- Ends the pause of a queue, or the pause of all queues. Queues that were paused individually stay
-- paused, and so does everything of a suspended tenant.
--
-- Parameters: $1 tenant, $2 queue (null = all)
-- Returns: paused_at if it was paused; otherwise no row
-- Locks: the row. Index: unique (tenant_id, queue, of_suspension).
delete from punctual.pauses
where tenant_id = $1::integer and queue is not distinct from $2::text and not of_suspension
returning paused_at
