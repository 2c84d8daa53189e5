-- A calendar of a tenant.
--
-- Parameters: $1 tenant, $2 name
-- Returns: spec
-- Types: spec CalendarInput!
-- Locks: none. Index: primary key.
select spec from punctual.calendars where tenant_id = $1::integer and name = $2::text
