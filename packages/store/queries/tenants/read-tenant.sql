-- What has to be known of a tenant where something is accepted for it.
--
-- Parameters: $1 tenant
-- Returns: name, quotas, whether it is suspended or being erased; no row when there is no such tenant
-- Locks: none. Index: primary key.
select name, quotas, suspended_at is not null or erasing_at is not null as suspended
from punctual.tenants
where id = $1::integer
