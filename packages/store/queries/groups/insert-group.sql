-- Creates a group without members. An existing group was created by an earlier attempt whose reply
-- was lost: this waits for that attempt if it is still open, and then returns no id. The number of
-- groups that are not done is bounded: concurrent calls may exceed the bound by their number.
--
-- Parameters: $1 id, $2 tenant, $3 name or null, $4 callback as JSON or null, $5 payload of the
--   callback or null, $6 whether nothing can be added after this transaction, $7 most groups that
--   are not done
-- Returns: one row: id, null when the group exists or there are too many; is_left, whether there
--   are not
-- Types: isLeft!
-- Locks: the new row. Index: primary key, groups_open_tenant.
with room as materialized (
  select (
    select count(*)
    from (
      select from punctual.groups where tenant_id = $2::integer and done_at is null limit $7::integer
    ) as g) < $7::integer as is_left
),
made as (
  insert into punctual.groups (id, created_at, tenant_id, name, callback, callback_payload, closed_at)
  select
    $1::uuid, clock_timestamp(), $2::integer, $3::text, $4::text::jsonb, $5::text,
    case when $6::boolean then clock_timestamp() end
  from room
  where is_left
  on conflict (id) do nothing
  returning id
)
select (select id from made) as id, is_left
from room
