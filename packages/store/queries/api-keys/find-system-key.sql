-- Whether the installation has, or ever had, an API key.
--
-- Parameters: none
-- Returns: one row: true or false
-- Types: found!
-- Locks: none. Index: api_keys_tenant.
select exists (select from punctual.api_keys where tenant_id is null) as found
