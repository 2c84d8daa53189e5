-- Looks how far open groups have come: up to the first member that has not ended, from where the last look stood.
--
-- It is one statement, and must be: a run moves from place to place in one statement, so that a snapshot sees it in exactly
-- one of them while it lives, and two snapshots may see it in none. What it says stays true: an ended run
-- never lives again, and members are added behind those that are there.
--
-- Parameters: $1 after this group, $2 most groups, $3 most members of each to pass
-- Returns: id, passed, until (the members before it have ended), total, closed, by id
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
        -- Not `exists`: the planner may make a hash of a whole table for that.
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
