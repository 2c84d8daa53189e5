-- Locks a tenant, so that counting what it has and changing its quotas happen one after the other.
--
-- Parameters: $1 tenant
-- Returns: quotas; no row when the tenant does not exist
-- Locks: the tenant (no key update: rows that reference it can still be written). Index: primary
--   key.
select quotas from punctual.tenants where id = $1::integer for no key update
