-- Deletes members of a tenant's groups, one batch at a time.
--
-- Parameters: $1 tenant, $2 most rows
-- Returns: one row: the number of deleted rows
-- Types: gone!
-- Locks: the rows. Index: groups_tenant, primary key of group_members.
with gone as (
  delete from punctual.group_members
  where ctid = any (array(
    select m.ctid
    from punctual.groups g
    join punctual.group_members m on m.group_id = g.id
    where g.tenant_id = $1::integer
    limit $2::integer))
  returning group_id
)
select count(*) as gone from gone
