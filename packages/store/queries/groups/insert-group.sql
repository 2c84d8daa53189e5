-- Creates a group without members. An existing group was created by an earlier attempt whose reply
-- was lost: this waits for that attempt if it is still open, and then returns nothing.
--
-- Parameters: $1 id, $2 tenant, $3 name or null, $4 callback as JSON or null, $5 payload of the
--   callback or null, $6 whether nothing can be added after this transaction
-- Returns: id; no row when the group exists
-- Locks: the new row. Index: primary key.
insert into punctual.groups (id, created_at, tenant_id, name, callback, callback_payload, closed_at)
values (
  $1::uuid, clock_timestamp(), $2::integer, $3::text, $4::text::jsonb, $5::text,
  case when $6::boolean then clock_timestamp() end)
on conflict (id) do nothing
returning id
