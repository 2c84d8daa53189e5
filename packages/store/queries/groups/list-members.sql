-- Returns members of a group with their states, in the order in which they were added.
--
-- Parameters: $1 group, $2 tenant, $3 first position, $4 maximum number of rows
-- Returns: run_id, place, state
-- Locks: none. Index: primary keys.
select
  m.run_id, m.place,
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
    'removed') as state
  -- end of state
from punctual.group_members m
join punctual.groups g on g.id = m.group_id and g.tenant_id = $2::integer
where m.group_id = $1::uuid and m.place >= $3::integer
order by m.place
limit $4::integer
