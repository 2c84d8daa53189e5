-- Writes decisions for slots: the ledger, and for slots that run also the run and its place in the
-- queue. A slot that already has a decision raises an error. If runs of the job must not overlap,
-- runs that catch up on missed slots wait for each other: `all` means all.
--
-- Parameters: $1 slots in ms bigint[], $2 job ids uuid[], $3 run ids uuid[] (null = a skip),
--   $4 first slots in ms bigint[] (null = only one), $5 how many slots integer[], $6 tenants
--   integer[], $7 reasons smallint[], $8 due times in ms bigint[], $9 first sequence number,
--   $10 whether a rule computes the slot boolean[]; rows in the order of their due times, which is
--   the order of the indexes that they are inserted into
-- Returns: lane of the queued runs, without duplicates
-- Locks: the new rows. Index: primary key of jobs. Pinned: nested loops.
with now as materialized (
  select floor(date_part('epoch', clock_timestamp()) * 1000)::bigint as ms
),
ledger as (
  insert into punctual.slots (
    slot_at, job_id, run_id, from_at, decided_at, slots, tenant_id, decision, reason, computed)
  select
    to_timestamp(i.slot_ms::float8 / 1000), i.job_id, i.run_id, to_timestamp(i.from_ms::float8 / 1000),
    statement_timestamp(), i.slots, i.tenant_id, case when i.run_id is null then :decisions.skip else :decisions.run end, i.reason,
    i.computed
  from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::bigint[], $5::integer[], $6::integer[], $7::smallint[],
    $10::boolean[])
    as i (slot_ms, job_id, run_id, from_ms, slots, tenant_id, reason, computed)
),
input as materialized (
  select
    i.n, i.run_id, i.job_id, i.slot_ms, i.from_ms, i.due_ms, j.tenant_id, j.lane, j.timeout_ms, j.max_attempts,
    case
      when i.reason in (:reasons.late, :reasons.coalesced) and j.traits & :traits.overlap <> 0
        then (j.traits & ~:traits.overlap) | :overlap.queue_all
      else j.traits
    end as traits,
    j.payload, j.labels, j.policy, j.created_by, j.flow
  from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::bigint[], $7::smallint[], $8::bigint[])
    with ordinality as i (slot_ms, job_id, run_id, from_ms, reason, due_ms, n)
  cross join lateral (
    select tenant_id, lane, timeout_ms, max_attempts, traits, payload, labels, policy, created_by, flow
    from punctual.jobs
    where id = i.job_id
    limit 1
  ) j
  where i.run_id is not null
),
made as (
  insert into punctual.runs (
    id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, labels, policy,
    created_by, job_id, slot_at, missed_from, flow)
  select
    run_id, to_timestamp(due_ms::float8 / 1000), statement_timestamp(), tenant_id, lane, timeout_ms,
    max_attempts, traits, payload, labels, policy, created_by, job_id, to_timestamp(slot_ms::float8 / 1000),
    to_timestamp(from_ms::float8 / 1000), flow
  from input
),
gated as (
  insert into punctual.gated (run_id, gate, gate_limit, rate, rate_interval_us, rate_burst)
  select
    run_id, (flow ->> 'gate')::bigint, (flow -> 'concurrency' ->> 'limit')::integer, (flow ->> 'rateGate')::bigint,
    (flow ->> 'rateIntervalUs')::bigint, (flow -> 'rate' ->> 'burst')::integer
  from input
  where traits & :traits.gated <> 0
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select
    i.run_id, (greatest(i.due_ms, now.ms) << :pos.shift) | (($9::bigint + i.n) & :pos.sequence), i.tenant_id, i.lane, 0, 0,
    i.traits, i.job_id
  from now
  cross join input i
)
select distinct lane from input
