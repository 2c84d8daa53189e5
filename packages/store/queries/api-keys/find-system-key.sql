-- Whether the installation has a key, or ever had one.
--
-- Parameters: none
-- Returns: one row: whether it has
-- Locks: none. Index: api_keys_tenant.
select exists (select from punctual.api_keys where tenant_id is null) as found
