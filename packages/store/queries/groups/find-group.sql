-- A group and the states of its members.
--
-- Parameters: $1 id, $2 tenant
-- Returns: id, name, total, created_at, closed_at, done_at, callback_run_id, passed (how
--   many members are counted as ended), their number per final state, then the states of the other
--   members as JSON: {"state": count}
-- Types: others MemberCounts
-- Locks: none. Index: primary keys; one probe or a few for each member that is not counted yet.
select
  g.id, g.name, g.total, g.created_at, g.closed_at, g.done_at, g.callback_run_id, g.passed,
  g.succeeded, g.dead, g.cancelled, g.skipped, g.unknown,
  (
    select jsonb_object_agg(s.state, s.members)
    from (
      select
        -- include: member-state
        as state,
        count(*) as members
      from punctual.group_members m
      where m.group_id = g.id and m.place >= g.passed
      group by 1
    ) s
  ) as others
from punctual.groups g
where g.id = $1::uuid and g.tenant_id = $2::integer
