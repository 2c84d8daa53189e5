-- Holds a tenant: whoever counts what it has, or changes what it may have, comes after the other.
--
-- Parameters: $1 tenant
-- Returns: quotas; no row when there is no such tenant
-- Locks: the tenant (no key update: rows that refer to it may still be written). Index: primary key.
select quotas from punctual.tenants where id = $1::integer for no key update
