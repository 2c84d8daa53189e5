-- Whether other tenants have lanes, and so may have runs.
--
-- Parameters: $1 tenant
-- Returns: one row: found
-- Types: found!
-- Locks: none. Index: none; the table is small.
select exists (select from punctual.lanes where tenant_id <> $1::integer) as found
