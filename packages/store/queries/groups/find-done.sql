-- Whether a group is done.
--
-- Parameters: $1 id, $2 tenant
-- Returns: done; no row when the group does not exist
-- Types: done!
-- Locks: none. Index: primary key.
select done_at is not null as done from punctual.groups where id = $1::uuid and tenant_id = $2::integer
