-- Accepts runs with a concurrency or rate key, whether or not an earlier attempt to submit them has
-- committed: like insert-runs-again, and like that always written to the WAL. A run that is due but
-- certainly cannot start yet waits for its gate at once, so that it is never claimed in vain.
--
-- Parameters: $1 ids uuid[], $2 payloads text[], $3 due times in ms bigint[] or null (null = now),
--   $4 lanes integer[] or null, $5 keys text[] or null, $6 labels jsonb[] or null, $7 lane of runs
--   without one in $4, $8 tenant, $9 max_attempts, $10 timeout_ms, $11 traits, $12 policy,
--   $13 created_by, $14 trace, $15 first sequence number, $16 horizon in ms, $17 flows jsonb[],
--   $18 whether runs may wait for a gate: the caller then checks the gates again after the commit
-- Returns: nothing.
-- Locks: waits for an open transaction that inserts the same id. Index: primary key of runs,
--   parked_gate, leases_gate, queue_gate.
with now as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms, pg_logical_emit_message(true, 'punctual', '')
),
input as materialized (
  select
    i.id, i.payload, i.key, i.labels, i.n, i.flow, (i.flow ->> 'gate')::bigint as gate,
    (i.flow -> 'concurrency' ->> 'limit')::integer as gate_limit,
    coalesce(i.lane, $7::integer) as lane,
    coalesce(i.due_ms, now.ms) as due_ms,
    -- Never in the past: a claim that has passed a position does not come back to it.
    greatest(i.due_ms, now.ms) as pos_ms,
    now.ms as now_ms
  from now
  cross join unnest(
    $1::uuid[], $2::text[], $3::bigint[], $4::integer[], $5::text[], $6::jsonb[], $17::jsonb[])
    with ordinality as i (id, payload, due_ms, lane, key, labels, flow, n)
),
gates as materialized (
  select
    gate,
    (select count(*) from punctual.leases l where l.gate = i.gate)
      + (select count(*) from punctual.queue q where q.gate = i.gate) as held,
    exists (select from punctual.parked p where p.gate = i.gate) as awaited
  from (select distinct gate from input where gate is not null) i
),
accepted as (
  insert into punctual.runs (
    id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, key, labels,
    policy, created_by, trace, flow)
  select
    id, to_timestamp(due_ms::float8 / 1000), to_timestamp(now_ms::float8 / 1000), $8::integer, lane,
    $10::integer, $9::smallint, $11::smallint, payload, key, labels, $12::text, $13::text, $14::text, flow
  from input
  on conflict do nothing
  returning id
),
placed as materialized (
  select
    i.id, i.n, i.lane, i.due_ms, i.pos_ms, i.now_ms, i.gate, i.gate_limit, i.flow,
    -- The first runs of a batch may start, as many as the gate has capacity for.
    i.gate is not null and $18::boolean and i.pos_ms <= i.now_ms and (
      g.awaited or g.held + row_number() over (partition by i.gate, i.pos_ms <= i.now_ms order by i.n) > i.gate_limit)
      as waits
  from input i
  left join gates g on g.gate = i.gate
  where i.id in (select id from accepted)
),
gated as (
  insert into punctual.gated (run_id, gate, gate_limit, rate, rate_interval_us, rate_burst)
  select
    id, gate, gate_limit, (flow ->> 'rateGate')::bigint, (flow ->> 'rateIntervalUs')::bigint,
    (flow -> 'rate' ->> 'burst')::integer
  from placed
),
waiting as (
  insert into punctual.parked (
    run_id, parked_at, tenant_id, lane, attempt, crashes, traits, gate, gate_limit)
  select id, to_timestamp(now_ms::float8 / 1000), $8::integer, lane, 0, 0, $11::smallint, gate, gate_limit
  from placed
  where waits
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, gate)
  select
    id, (pos_ms << :pos.shift) | (($15::bigint + n) & :pos.sequence), $8::integer, lane, 0, 0, $11::smallint,
    case when pos_ms <= now_ms then gate end
  from placed
  where pos_ms <= now_ms + $16::bigint and not waits
)
insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits)
select id, to_timestamp(due_ms::float8 / 1000), $8::integer, lane, 0, 0, $11::smallint
from placed
where pos_ms > now_ms + $16::bigint
