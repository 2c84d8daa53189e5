-- Inserts the runs of a backfill, due one after another, now or later. If runs of the job must not
-- overlap, they wait for each other: a requested slot is not skipped.
--
-- Parameters: $1 job, $2 run ids uuid[], $3 slots in ms bigint[], $4 due times in ms bigint[],
--   $5 horizon in ms
-- Returns: lane, without duplicates
-- Locks: the new rows. Index: primary key of jobs. Pinned: nested loops.
with made as (
  insert into punctual.runs (
    id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, labels, policy,
    created_by, job_id, slot_at, flow)
  select
    i.run_id, to_timestamp(i.due_ms::float8 / 1000), clock_timestamp(), j.tenant_id, j.lane, j.timeout_ms,
    j.max_attempts,
    case
      when j.traits & :traits.overlap <> 0
        then (j.traits & ~:traits.overlap) | :overlap.queue_all
      else j.traits
    end, j.payload, j.labels, j.policy, j.created_by, j.id,
    to_timestamp(i.slot_ms::float8 / 1000), j.flow
  from unnest($2::uuid[], $3::bigint[], $4::bigint[]) as i (run_id, slot_ms, due_ms)
  cross join lateral (
    select id, tenant_id, lane, timeout_ms, max_attempts, traits, payload, labels, policy, created_by, flow
    from punctual.jobs
    where id = $1::uuid
    limit 1
  ) j
  returning id, due_at, tenant_id, lane, traits, job_id, flow
),
gated as (
  insert into punctual.gated (run_id, gate, gate_limit, rate, rate_interval_us, rate_burst)
  select
    id, (flow ->> 'gate')::bigint, (flow -> 'concurrency' ->> 'limit')::integer, (flow ->> 'rateGate')::bigint,
    (flow ->> 'rateIntervalUs')::bigint, (flow -> 'rate' ->> 'burst')::integer
  from made
  where traits & :traits.gated <> 0
),
near as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select
    id,
    (floor(extract(epoch from greatest(due_at, clock_timestamp())) * 1000)::bigint << :pos.shift)
      | (row_number() over (order by due_at, id) & :pos.sequence),
    tenant_id, lane, 0, 0, traits, job_id
  from made
  where due_at <= clock_timestamp() + $5::bigint * interval '1 millisecond'
),
far as (
  insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits, job_id)
  select id, due_at, tenant_id, lane, 0, 0, traits, job_id
  from made
  where due_at > clock_timestamp() + $5::bigint * interval '1 millisecond'
)
select distinct lane from made
