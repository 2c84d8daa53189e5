-- Creates or replaces a calendar.
--
-- Parameters: $1 tenant, $2 name, $3 spec
-- Returns: nothing
-- Locks: the row. Index: primary key.
insert into punctual.calendars (tenant_id, version, updated_at, name, spec)
values ($1::integer, 1, clock_timestamp(), $2::text, $3::text)
on conflict (tenant_id, name)
  do update set spec = excluded.spec, version = calendars.version + 1, updated_at = excluded.updated_at
