-- The columns of a tenant that accepting work for it depends on.
--
-- Parameters: $1 tenant
-- Returns: name, quotas, whether it is suspended or being erased; no row when the tenant does not
--   exist
-- Types: suspended!
-- Locks: none. Index: primary key.
select name, quotas, suspended_at is not null or erasing_at is not null as suspended
from punctual.tenants
where id = $1::integer
