-- The calendars of a tenant.
--
-- Parameters: $1 tenant
-- Returns: name, spec, version
-- Types: spec CalendarInput!
-- Locks: none. Index: primary key.
select name, spec, version from punctual.calendars where tenant_id = $1::integer order by name
