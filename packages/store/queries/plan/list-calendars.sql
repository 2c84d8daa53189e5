-- The calendars of some tenants.
--
-- Parameters: $1 tenants integer[]
-- Returns: tenant, name, version, spec
-- Locks: none. Index: primary key. Pinned: no sequential scan.
select tenant_id, name, version, spec from punctual.calendars where tenant_id = any ($1::integer[])
