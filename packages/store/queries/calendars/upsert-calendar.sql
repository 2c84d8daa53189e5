-- Creates or replaces a calendar, unless the tenant has as many as it may have. Callers that create
-- calendars of a tenant at the same time may exceed the number by theirs.
--
-- Parameters: $1 tenant, $2 name, $3 spec, $4 most calendars
-- Returns: version; no row when it would be one too many
-- Locks: the row. Index: primary key.
insert into punctual.calendars (tenant_id, version, updated_at, name, spec)
select $1::integer, 1, clock_timestamp(), $2::text, $3::text
where exists (select from punctual.calendars where tenant_id = $1::integer and name = $2::text)
  or (select count(*) from punctual.calendars where tenant_id = $1::integer) < $4::integer
on conflict (tenant_id, name)
  do update set spec = excluded.spec, version = calendars.version + 1, updated_at = excluded.updated_at
returning version
