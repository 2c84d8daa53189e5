-- Closes a group: nothing can be added any more. Waits for those who are adding.
--
-- Parameters: $1 id, $2 tenant
-- Returns: closed: whether this did it; no row when there is no such group
-- Locks: the group. Index: primary key.
with before as (
  select id, closed_at from punctual.groups where id = $1::uuid and tenant_id = $2::integer for no key update
)
update punctual.groups g
set closed_at = coalesce(g.closed_at, clock_timestamp())
from before
where g.id = before.id
returning before.closed_at is null as closed
