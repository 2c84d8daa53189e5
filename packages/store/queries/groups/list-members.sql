-- Returns members of a group with their states, in the order in which they were added.
--
-- Parameters: $1 group, $2 tenant, $3 first position, $4 maximum number of rows
-- Returns: run_id, place, state
-- Types: state MemberState!
-- Locks: none. Index: primary keys.
select
  m.run_id, m.place,
  -- include: member-state
  as state
from punctual.group_members m
join punctual.groups g on g.id = m.group_id and g.tenant_id = $2::integer
where m.group_id = $1::uuid and m.place >= $3::integer
order by m.place
limit $4::integer
