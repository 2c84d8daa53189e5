-- Tenants by name, without erased ones.
--
-- Parameters: $1 only names after this one, $2 most rows
-- Returns: as find-tenant
-- Locks: none. Index: unique (name).
select id, name, note, quotas, created_at, created_by, suspended_at, suspended_by, suspended_note, erasing_at
from punctual.tenants
where name > $1::text and erased_at is null
order by name
limit $2::integer
