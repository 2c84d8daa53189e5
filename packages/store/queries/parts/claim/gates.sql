-- Runs with a concurrency key: each takes a place of its gate, or is parked behind those that wait.
-- The lease occupies the place, so that a crash frees it.
--
-- Expects: the parts taken, limits, holds and rates, and `needs`.
gates as materialized (
  select
    n.n, n.run_id, n.tenant_id, n.lane, n.attempt, n.crashes, n.traits, n.job_id, g.gate,
    g.gate_limit, row_number() over (partition by g.gate order by n.run_id) as turn,
    exists (select from punctual.parked p where p.gate = g.gate and p.run_id < n.run_id) as behind
  from numbered n
  cross join lateral (
    select gate, gate_limit from punctual.gated where run_id = n.run_id limit 1
  ) g
  where (select gated from needs) and n.traits & :traits.gated <> 0
    and n.run_id not in (select run_id from parked) and g.gate is not null
    and n.run_id not in (select run_id from postponed)
),
places as materialized (
  select g.gate, s.slot, row_number() over (partition by g.gate order by s.slot) as turn
  from (
    select gate, max(gate_limit) as gate_limit, count(*) as wanted
    from gates where not behind group by gate
  ) g
  cross join lateral (
    select s.slot
    from generate_series(1, g.gate_limit) as s (slot)
    where not exists (
      select from punctual.leases l where l.gate = g.gate and l.gate_slot = s.slot)
    order by s.slot limit g.wanted
  ) s
),
seats as materialized (
  select * from (
    select *, max(slot) over (partition by gate, turn) as place
    from (
      select *, null::integer as slot from gates
      union all
      select null, null, null, null, null, null, null, null, gate, null, turn, null, slot
      from places
    ) u
  ) t
  where n is not null
),
admitted as (
  insert into punctual.leases (
    run_id, fence, session_id, claimed_at, tenant_id, lane, attempt, crashes, traits, job_id,
    gate, gate_slot, queue_limit, tenant_limit)
  select
    run_id, $2::bigint + n, $1::bigint, statement_timestamp(), tenant_id, lane, attempt, crashes,
    traits, job_id,
    gate, place,
    (select queue_limit from limits_of o where o.lane = seats.lane),
    (select tenant_limit from limits_of o where o.lane = seats.lane)
  from seats
  where not behind and place <= gate_limit
  order by gate, place
  -- A place that another claim takes now is waited for, and then not taken.
  on conflict (gate, gate_slot) where gate is not null do nothing
  returning run_id
),
stopped as (
  insert into punctual.parked (
    run_id, parked_at, job_id, tenant_id, lane, attempt, crashes, traits, gate, gate_limit)
  select
    run_id, clock_timestamp(), job_id, tenant_id, lane, attempt, crashes, traits, gate, gate_limit
  from seats where run_id not in (select run_id from admitted)
  returning run_id
),
