-- Everything that can keep a run from starting, in one snapshot.
--
-- Parameters: $1 run, $2 tenant, $3 queue, $4 handler, $5 job or null
-- Returns: one row: as JSON the pauses that apply to it, the limits of its queue and tenant, the
--   workers that have its handler, the runs that occupy its concurrency key, the worker that holds
--   it; the run that holds its job, when its rate lets it start in ms, how many due runs are before
--   it in its lane (up to 1,000); as JSON the runs that its gate has admitted and that have not
--   started (up to 100), and why not
-- Types: pauses Pauses, limits Limits, workers Workers, gate_holders Texts,
--   held_by HeldBy, ahead!, admitted Admitted
-- Locks: none. Index: primary keys, leases_gate, queue_gate, leases_queue_limit,
--   leases_tenant_limit, queue_lane_pos; the other tables are small.
select
  (
    select json_agg(json_build_object(
      'queue', p.queue, 'since', p.paused_at, 'by', p.paused_by,
      'note', case when p.of_suspension then t.suspended_note else p.note end, 'ofSuspension', p.of_suspension)
      order by p.queue nulls last, p.of_suspension)
    from punctual.pauses p
    join punctual.tenants t on t.id = p.tenant_id
    where p.tenant_id = $2::integer and coalesce(p.queue, '') = any (array[$3::text, ''])
  ) as pauses,
  (
    select json_agg(json_build_object(
      'queue', m.queue, 'concurrency', m.concurrency,
      'running', case
        when m.queue is null then (select count(*) from punctual.leases l where l.tenant_limit = m.id)
        else (select count(*) from punctual.leases l where l.queue_limit = m.id)
      end,
      'freeAt', case
        when (m.next_us - m.rate_interval_us * (m.rate_burst - 1)) > date_part('epoch', clock_timestamp()) * 1000000
          then ceil((m.next_us - m.rate_interval_us * (m.rate_burst - 1)) / 1000.0)::bigint
      end))
    from punctual.limits m
    where m.tenant_id = $2::integer and coalesce(m.queue, '') = any (array[$3::text, ''])
  ) as limits,
  (
    select json_agg(json_build_object(
      'id', s.id::text, 'host', s.host, 'capacity', s.capacity, 'renewedAt', s.renewed_at,
      'held', (select count(*) from punctual.leases l where l.session_id = s.id), 'own', s.tenant_id is not null,
      'alive', s.expires_at > clock_timestamp(), 'drains', s.state = 'draining' or s.drain_asked_at is not null))
    from punctual.sessions s
    where $4::text = any (s.handlers) and (cardinality(s.queues) = 0 or $3::text = any (s.queues))
      and (s.tenant_id is null or s.tenant_id = $2::integer)
  ) as workers,
  (
    select json_agg(l.run_id order by l.gate_slot)
    from punctual.leases l
    where l.gate = (select k.gate from punctual.parked k where k.run_id = $1::uuid)
  ) as gate_holders,
  (
    select json_build_object(
      'worker', l.session_id::text,
      'lostSince', case when s.id is null then l.claimed_at when s.expires_at <= clock_timestamp() then s.renewed_at end)
    from punctual.leases l
    left join punctual.sessions s on s.id = l.session_id
    where l.run_id = $1::uuid
  ) as held_by,
  (select h.run_id from punctual.job_holds h where h.job_id = $5::uuid) as job_held_by,
  (select g.booked_us / 1000 from punctual.gated g where g.run_id = $1::uuid and g.rate is not null) as booked_ms,
  (
    select count(*)
    from (
      select
      from punctual.queue me
      join punctual.queue q on q.lane = me.lane and q.pos < me.pos
      where me.run_id = $1::uuid
      limit 1000
    ) before
  ) as ahead,
  (
    select json_agg(json_build_object(
      'run', q.run_id, 'queue', n.queue, 'handler', n.handler,
      'why', case
        when exists (
          select from punctual.pauses p where p.tenant_id = $2::integer and coalesce(p.queue, '') = any (array[n.queue, '']))
          then 'paused'
        when not exists (
          select
          from punctual.sessions s
          where n.handler = any (s.handlers) and (cardinality(s.queues) = 0 or n.queue = any (s.queues))
            and (s.tenant_id is null or s.tenant_id = $2::integer) and s.expires_at > clock_timestamp())
          then 'no_worker'
      end) order by q.pos)
    from (
      select k.run_id, k.lane, k.pos
      from punctual.queue k
      where k.gate = (select w.gate from punctual.parked w where w.run_id = $1::uuid) and k.tenant_id = $2::integer
      order by k.pos
      limit 100
    ) q
    join punctual.lanes n on n.id = q.lane
  ) as admitted
