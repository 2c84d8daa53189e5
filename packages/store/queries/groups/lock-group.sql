-- Keeps a group from being closed, or added to by others, until the end of the transaction.
--
-- Parameters: $1 id, $2 tenant
-- Returns: total, closed; no row when there is no such group
-- Locks: the group. Index: primary key.
select total, closed_at is not null as closed
from punctual.groups
where id = $1::uuid and tenant_id = $2::integer
for no key update
