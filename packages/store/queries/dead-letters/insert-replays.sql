-- Runs that replay others, due now. Each copies the other run and refers to it. A replay of a job's
-- run belongs to the same job and slot, but not to the ledger. If runs of the job must not overlap,
-- it waits its turn: a requested run is neither skipped, nor does it end others. Its end does not
-- decide when the job fires next. The caller takes its key beforehand.
--
-- Parameters: $1 runs to replay uuid[], $2 ids of the new runs uuid[], $3 other payloads text[]
--   (null = the same), $4 who replays them (null = as before), $5 whether to continue from the last
--   checkpoint, $6 first sequence number
-- Returns: lane, without duplicates
-- Locks: the new rows. Index: primary keys; each id leads to its partition.
with made as (
  insert into punctual.runs (
    id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, key, labels, policy,
    created_by, trace, job_id, slot_at, missed_from, replay_of, flow)
  select
    i.id, clock_timestamp(), clock_timestamp(), r.tenant_id, r.lane, r.timeout_ms, r.max_attempts,
    case
      when r.traits & :traits.overlap <> 0
        then (r.traits & ~(:traits.rearms | :traits.overlap | :traits.expires)) | :overlap.queue_all
      else r.traits & ~(:traits.rearms | :traits.expires)
    end, coalesce(i.payload, r.payload),
    r.key, r.labels, r.policy, coalesce($4::text, r.created_by), r.trace, r.job_id, r.slot_at, r.missed_from, r.id,
    r.flow
  from unnest($1::uuid[], $2::uuid[], $3::text[]) as i (replay_of, id, payload)
  cross join lateral (
    select
      id, tenant_id, lane, timeout_ms, max_attempts, traits, payload, key, labels, policy, created_by, trace, job_id,
      slot_at, missed_from, flow
    from punctual.runs
    where id = i.replay_of
    limit 1
  ) r
  returning id, tenant_id, lane, traits, job_id, replay_of, flow
),
gated as (
  insert into punctual.gated (run_id, gate, gate_limit, rate, rate_interval_us, rate_burst)
  select
    id, (flow ->> 'gate')::bigint, (flow -> 'concurrency' ->> 'limit')::integer, (flow ->> 'rateGate')::bigint,
    (flow ->> 'rateIntervalUs')::bigint, (flow -> 'rate' ->> 'burst')::integer
  from made
  where traits & :traits.gated <> 0
),
kept as (
  insert into punctual.checkpoints (run_id, saved_at, tenant_id, attempt, state)
  select m.id, c.saved_at, m.tenant_id, 0, c.state
  from made m
  cross join lateral (
    select saved_at, state from punctual.checkpoints where run_id = m.replay_of and $5::boolean limit 1
  ) c
  returning run_id
),
noted as (
  insert into punctual.triggers (job_id, run_id, triggered_at, tenant_id)
  select job_id, id, clock_timestamp(), tenant_id
  from made
  where job_id is not null
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select
    m.id,
    (floor(extract(epoch from clock_timestamp()) * 1000)::bigint << :pos.shift)
      | (($6::bigint + row_number() over (order by m.id)) & :pos.sequence),
    m.tenant_id, m.lane, 0, 0,
    case when m.id in (select run_id from kept) then m.traits | :traits.checkpointed else m.traits end, m.job_id
  from made m
)
select distinct lane from made
