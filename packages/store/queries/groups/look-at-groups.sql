-- Finds out how far open groups have progressed: up to the first member that has not ended, from
-- where the previous call stopped.
--
-- It has to be one statement: a run moves between places in one statement, so a snapshot sees a
-- live run in exactly one place, but two snapshots may see it in none. The result stays true: an
-- ended run never becomes live again, and new members are added behind the existing ones.
--
-- Parameters: $1 after this group, $2 most groups, $3 most members of each to count
-- Returns: id, passed, until (the members before it have ended), total, closed; sorted by id
-- Types: until!, closed!
-- Locks: none. Index: groups_open, primary keys of group_members, queue, leases, later and parked.
with open as materialized (
  select g.id, g.passed, g.total, g.closed_at is not null as closed
  from punctual.groups g
  where g.done_at is null and g.id > $1::uuid
  order by g.id
  limit $2::integer
)
select
  o.id, o.passed,
  coalesce(
    (
      select m.place
      from punctual.group_members m
      where m.group_id = o.id and m.place >= o.passed and m.place < o.passed + $3::integer
        -- Not `exists`: the planner might build a hash of a whole table for it.
        and coalesce(
          (select 1 from punctual.leases l where l.run_id = m.run_id),
          (select 1 from punctual.queue q where q.run_id = m.run_id),
          (select 1 from punctual.later w where w.run_id = m.run_id),
          (select 1 from punctual.parked p where p.run_id = m.run_id)) is not null
      order by m.place
      limit 1
    ),
    least(o.total, o.passed + $3::integer)) as until,
  o.total, o.closed
from open o
order by o.id
