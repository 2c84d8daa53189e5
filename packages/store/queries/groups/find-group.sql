-- A group and the states of its members.
--
-- Parameters: $1 id, $2 tenant
-- Returns: id, name, total, created_at, closed_at, done_at, callback_run_id, passed (how
--   many members are counted as ended), their number per final state, then the states of the other
--   members as JSON: {"state": count}
-- Locks: none. Index: primary keys; one probe or a few for each member that is not counted yet.
select
  g.id, g.name, g.total, g.created_at, g.closed_at, g.done_at, g.callback_run_id, g.passed,
  g.succeeded, g.dead, g.cancelled, g.skipped, g.unknown,
  (
    select jsonb_object_agg(s.state, s.members)
    from (
      select
        -- state:
        coalesce(
          (select case when l.cancel_reason is null then 'running' else 'cancelling' end
            from punctual.leases l where l.run_id = m.run_id),
          (select case when q.pos >> 20 <= extract(epoch from clock_timestamp()) * 1000 then 'queued' else 'scheduled' end
            from punctual.queue q where q.run_id = m.run_id),
          (select 'scheduled' from punctual.later w where w.run_id = m.run_id),
          (select 'waiting' from punctual.parked p where p.run_id = m.run_id),
          (select (array['succeeded', 'dead', 'cancelled', 'skipped', 'unknown'])[o.state]
            from punctual.outcomes o where o.run_id = m.run_id),
          'removed') as state,
        -- end of state
        count(*) as members
      from punctual.group_members m
      where m.group_id = g.id and m.place >= g.passed
      group by 1
    ) s
  ) as others
from punctual.groups g
where g.id = $1::uuid and g.tenant_id = $2::integer
