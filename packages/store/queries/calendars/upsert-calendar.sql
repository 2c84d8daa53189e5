-- Creates or replaces a calendar, unless the tenant has as many as it may have.
--
-- Parameters: $1 tenant, $2 name, $3 spec, $4 most calendars
-- Returns: version; no row when it would be one too many
-- Locks: the row; for a new one also the count (rows_of_tenant), until the transaction ends.
-- Index: primary key.
insert into punctual.calendars (tenant_id, version, updated_at, name, spec)
select $1::integer, 1, clock_timestamp(), $2::text, $3::text
where exists (select from punctual.calendars where tenant_id = $1::integer and name = $2::text)
  or punctual.rows_of_tenant($1::integer, 'calendars', $4::bigint) < $4::bigint
on conflict (tenant_id, name)
  do update set spec = excluded.spec, version = calendars.version + 1, updated_at = excluded.updated_at
returning version
