-- Runs a job now, outside its schedule: the end of this run does not decide when the job fires
-- next.
--
-- Parameters: $1 job, $2 run id, $3 payload or null (the job's own), $4 sequence number
-- Returns: one row: lane; no row when the job is deleted, or another transaction is deleting it
-- Locks: the job (key share, skip locked), the new rows. Index: primary key of jobs.
with made as (
  insert into punctual.runs (
    id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, labels, policy,
    created_by, job_id, flow)
  select
    $2::uuid, clock_timestamp(), clock_timestamp(), tenant_id, lane, timeout_ms, max_attempts, traits & ~:traits.rearms,
    coalesce($3::text, payload), labels, policy, created_by, id, flow
  from punctual.jobs
  where id = $1::uuid
  -- A job that is being deleted is skipped: its deletion does not see this run, and would leave it.
  for key share skip locked
  returning id, tenant_id, lane, traits, job_id, flow
),
gated as (
  insert into punctual.gated (run_id, gate, gate_limit, rate, rate_interval_us, rate_burst)
  select
    id, (flow ->> 'gate')::bigint, (flow -> 'concurrency' ->> 'limit')::integer, (flow ->> 'rateGate')::bigint,
    (flow ->> 'rateIntervalUs')::bigint, (flow -> 'rate' ->> 'burst')::integer
  from made
  where traits & :traits.gated <> 0
),
noted as (
  insert into punctual.triggers (job_id, run_id, triggered_at, tenant_id)
  select job_id, id, clock_timestamp(), tenant_id from made
)
insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
select
  id, (floor(extract(epoch from clock_timestamp()) * 1000)::bigint << :pos.shift) | ($4::bigint & :pos.sequence), tenant_id, lane,
  0, 0, traits, job_id
from made
returning lane
