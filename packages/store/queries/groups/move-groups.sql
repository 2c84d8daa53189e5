-- Moves the position of groups past members that have ended, and adds the outcomes of these members
-- to the counts of the group. Changes nothing in a group that another caller has already moved.
-- Skips a group that another transaction has locked; the next round moves it.
--
-- Parameters: $1 groups uuid[], $2 the old positions integer[], $3 the new positions integer[]
-- Returns: id of each group that was moved
-- Locks: groups (skip locked). Index: primary keys of groups, group_members and outcomes.
with given as materialized (
  select i.id, i.passed, i.until
  from unnest($1::uuid[], $2::integer[], $3::integer[]) as i (id, passed, until)
),
ends as materialized (
  select i.id, i.passed, i.until, (select o.state from punctual.outcomes o where o.run_id = m.run_id) as state
  from given i
  join punctual.group_members m on m.group_id = i.id and m.place >= i.passed and m.place < i.until
),
counted as materialized (
  select
    id, passed, until,
    count(*) filter (where state = :states.succeeded) as succeeded,
    count(*) filter (where state = :states.dead) as dead,
    count(*) filter (where state = :states.cancelled) as cancelled,
    count(*) filter (where state = :states.skipped) as skipped,
    count(*) filter (where state = :states.unknown) as unknown
  from ends
  group by id, passed, until
),
held as materialized (
  select g.id
  from counted c
  join punctual.groups g on g.id = c.id
  for no key update of g skip locked
)
update punctual.groups g
set passed = c.until,
  succeeded = g.succeeded + c.succeeded,
  dead = g.dead + c.dead,
  cancelled = g.cancelled + c.cancelled,
  skipped = g.skipped + c.skipped,
  unknown = g.unknown + c.unknown
from held h
join counted c on c.id = h.id
where g.id = h.id and g.passed = c.passed
returning g.id
