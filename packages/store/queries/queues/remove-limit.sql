-- Removes the limits of a queue or of the tenant.
--
-- Parameters: $1 tenant, $2 queue (null = the tenant), $3 channel of hints
-- Returns: id if there were any; otherwise no row
-- Locks: the row. Index: unique (tenant_id, queue).
with gone as (
  delete from punctual.limits
  where tenant_id = $1::integer and queue is not distinct from $2::text
  returning id
)
select id, pg_notify($3::text, '- new *') from gone
