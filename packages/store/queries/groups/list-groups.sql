-- Groups, newest first.
--
-- Parameters: $1 tenant, $2 before this id or null, $3 only done ones, or only open ones (null =
--   both), $4 most rows
-- Returns: id, name, total, created_at, closed_at, done_at, callback_run_id
-- Locks: none. Index: groups_tenant, backwards.
select g.id, g.name, g.total, g.created_at, g.closed_at, g.done_at, g.callback_run_id
from punctual.groups g
where g.tenant_id = $1::integer
  and ($2::uuid is null or g.id < $2::uuid)
  and ($3::boolean is null or (g.done_at is not null) = $3::boolean)
order by g.id desc
limit $4::integer
