-- Whether a live worker that serves a tenant has a handler for a queue.
--
-- Parameters: $1 handler, $2 queue, $3 tenant
-- Returns: found
-- Types: found!
-- Locks: none. Index: none; the table is small.
select exists (
  select
  from punctual.sessions
  where expires_at > clock_timestamp() and state = 'active' and $1::text = any (handlers)
    and (cardinality(queues) = 0 or $2::text = any (queues))
    and (tenant_id is null or tenant_id = $3::integer)
) as found
