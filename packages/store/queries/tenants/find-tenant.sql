-- A tenant by its number or its name; erased tenants are not found.
--
-- Parameters: $1 id or null, $2 name or null
-- Returns: id, name, note, quotas, created_at, created_by, suspended_at, suspended_by,
--   suspended_note, erasing_at
-- Locks: none. Index: primary key; unique (name).
select id, name, note, quotas, created_at, created_by, suspended_at, suspended_by, suspended_note, erasing_at
from punctual.tenants
where (id = $1::integer or name = $2::text) and erased_at is null
