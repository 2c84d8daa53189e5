-- The calendars of a tenant that have one of these names.
--
-- Parameters: $1 tenant, $2 names text[]
-- Returns: name
-- Locks: none. Index: primary key.
select name from punctual.calendars where tenant_id = $1::integer and name = any ($2::text[])
