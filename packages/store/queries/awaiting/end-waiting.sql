-- Ends a run that waits for its next attempt, because the target of an earlier attempt reports that
-- it succeeded. That attempt ended without a word of its target: its worker died or was
-- interrupted, or its time was over.
--
-- Parameters: $1 this process's id for the counters, $2 run, $3 tenant, $4 number of the attempt,
--   $5 output
-- Returns: run_id and job_id, when it waited
-- Locks: queue, later, live_keys, job_holds, cursors, own counter row. Index: primary keys. Pinned: no
--   sequential scan.
with silent as materialized (
  select fence, session_id, started_at
  from punctual.attempts
  where run_id = $2::uuid and attempt = $4::smallint
    and outcome in (:outcomes.crashed, :outcomes.cancelled, :outcomes.timed_out)
),
unqueued as (
  delete from punctual.queue
  where run_id = $2::uuid and tenant_id = $3::integer and attempt >= $4::smallint
    and exists (select from silent)
  returning run_id, tenant_id, lane, attempt, crashes, traits, job_id
),
recalled as (
  delete from punctual.later
  where run_id = $2::uuid and tenant_id = $3::integer and attempt >= $4::smallint
    and exists (select from silent)
  returning run_id, tenant_id, lane, attempt, crashes, traits, job_id
),
ended as (
  select
    w.run_id, s.fence, s.session_id, s.started_at, w.tenant_id, w.lane, w.attempt, w.crashes, w.traits,
    w.job_id, $5::text as output, :states.succeeded::smallint as state,
    :outcomes.succeeded::smallint as attempt_outcome, null::jsonb as error, null::text as reason
  from (select * from unqueued union all select * from recalled) w
  cross join silent s
),
-- include: finish
select run_id, job_id from ended
