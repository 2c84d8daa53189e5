-- The state of a member of a group: `removed` when retention has dropped its run.
--
-- Expects: group_members as m.
coalesce(
  (select case when l.session_id = 0 then 'awaiting' when l.cancel_reason is null then 'running' else 'cancelling' end
    from punctual.leases l where l.run_id = m.run_id),
  (select case when q.pos >> :pos.shift <= extract(epoch from clock_timestamp()) * 1000 then 'queued' else 'scheduled' end
    from punctual.queue q where q.run_id = m.run_id),
  (select 'scheduled' from punctual.later w where w.run_id = m.run_id),
  (select 'waiting' from punctual.parked p where p.run_id = m.run_id),
  (select (array['succeeded', 'dead', 'cancelled', 'skipped', 'unknown'])[o.state]
    from punctual.outcomes o where o.run_id = m.run_id),
  'removed')
