-- Pauses a queue, or all of them. An existing pause keeps its note. Queues need not exist, so the
-- number of pauses is bounded.
--
-- Parameters: $1 tenant, $2 queue (null = all), $3 note, $4 who paused it, $5 most pauses of queues
-- Returns: one row: paused_at when it was not paused before; is_left, whether the tenant may pause
--   another queue
-- Types: isLeft!
-- Locks: the new row and the count (rows_of_tenant), until the transaction ends.
-- Index: unique (tenant_id, queue, of_suspension).
with room as materialized (
  select
    $2::text is null
    or exists (
      select from punctual.pauses where tenant_id = $1::integer and queue = $2::text and not of_suspension)
    or punctual.rows_of_tenant($1::integer, 'pauses', $5::bigint) < $5::bigint as is_left
),
made as (
  insert into punctual.pauses (tenant_id, paused_at, queue, note, paused_by)
  select $1::integer, clock_timestamp(), $2::text, $3::text, $4::text
  from room
  where is_left
  on conflict (tenant_id, queue, of_suspension) do nothing
  returning paused_at
)
select (select paused_at from made) as paused_at, is_left
from room
