-- Pauses a queue, or all of them. An existing pause keeps its note.
--
-- Parameters: $1 tenant, $2 queue (null = all), $3 note, $4 who paused it
-- Returns: paused_at when it was not paused before; otherwise no row
-- Locks: the new row. Index: unique (tenant_id, queue, of_suspension).
insert into punctual.pauses (tenant_id, paused_at, queue, note, paused_by)
values ($1::integer, clock_timestamp(), $2::text, $3::text, $4::text)
on conflict (tenant_id, queue, of_suspension) do nothing
returning paused_at
