-- Pauses of a tenant; the pause of its suspension comes first.
--
-- Parameters: $1 tenant
-- Returns: queue (null = all), paused_at, note, paused_by
-- Locks: none. Index: none; the table is small.
select queue, paused_at, note, paused_by
from punctual.pauses
where tenant_id = $1::integer
order by queue nulls first, of_suspension desc
