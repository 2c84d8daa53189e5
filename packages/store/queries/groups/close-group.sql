-- Closes a group: nothing can be added to it any more. Waits for transactions that are adding to
-- it.
--
-- Parameters: $1 id, $2 tenant
-- Returns: closed: whether this statement closed it; no row when the group does not exist
-- Types: closed!
-- Locks: the group. Index: primary key.
with before as (
  select id, closed_at from punctual.groups where id = $1::uuid and tenant_id = $2::integer for no key update
)
update punctual.groups g
set closed_at = coalesce(g.closed_at, clock_timestamp())
from before
where g.id = before.id
returning before.closed_at is null as closed
