-- Keeps other transactions from closing a group, or adding to it, until this one ends.
--
-- Parameters: $1 id, $2 tenant
-- Returns: total, closed; no row when the group does not exist
-- Types: closed!
-- Locks: the group. Index: primary key.
select total, closed_at is not null as closed
from punctual.groups
where id = $1::uuid and tenant_id = $2::integer
for no key update
