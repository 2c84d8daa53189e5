-- Ends the pause of a queue, or that of all of them; queues that are paused by themselves stay so, and so
-- does everything of a suspended tenant.
--
-- Parameters: $1 tenant, $2 queue (null = all)
-- Returns: paused_at when it was paused; no row otherwise
-- Locks: the row. Index: unique (tenant_id, queue, of_suspension).
delete from punctual.pauses
where tenant_id = $1::integer and queue is not distinct from $2::text and not of_suspension
returning paused_at
