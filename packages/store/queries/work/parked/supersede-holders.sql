-- Runs that take the place of the run of their job that goes on. It is ended where it waits for another attempt,
-- and where it runs it is ended at once (terminate) or asked to end (cancel). Older runs that wait are
-- superseded as well.
--
-- Parameters: $1 own id for the counters, $2 run ids uuid[]
-- Returns: run_id of those whose handlers are to end
-- Types: run_id!
-- Locks: parked, leases, queue, later, cursors, own counter row. Index: primary keys, parked_job. Pinned: no
--   sequential scan.
with successors as materialized (
  select p.run_id, p.job_id, p.traits & :traits.overlap as policy, h.run_id as holder
  from punctual.parked p
  left join punctual.job_holds h on h.job_id = p.job_id
  where p.run_id = any ($2::uuid[]) and p.gate is null
    and p.traits & :traits.overlap in (:overlap.cancel_previous, :overlap.terminate_previous)
),
terminated as (
  delete from punctual.leases
  -- A run that awaits its target has no handler that could be asked to end.
  where run_id = any (array(select holder from successors))
    and (session_id = 0 or run_id = any (array(
      select holder from successors where policy = :overlap.terminate_previous)))
  returning
    run_id, fence, session_id,
    -- The claim is the start mark, unless the run has to have one of its own.
    case
      when crashes > 0 or traits & :traits.at_most_once <> 0 then started_at
      else coalesce(started_at, claimed_at)
    end as started_at,
    tenant_id, lane, attempt, crashes, traits, job_id
),
asked as (
  update punctual.leases
  set cancel_reason = 'superseded'
  where cancel_reason is null and session_id <> 0 and run_id = any (array(
    select holder from successors where policy = :overlap.cancel_previous))
  returning run_id
),
unqueued as (
  delete from punctual.queue
  where run_id = any (array(select holder from successors))
  returning run_id, tenant_id, lane, attempt, crashes, traits, job_id
),
recalled as (
  delete from punctual.later
  where run_id = any (array(select holder from successors))
  returning run_id, tenant_id, lane, attempt, crashes, traits, job_id
),
outdone as (
  delete from punctual.parked
  where run_id = any (array(
    select p.run_id from punctual.parked p join successors s on s.job_id = p.job_id where p.run_id < s.run_id))
  returning run_id, tenant_id, lane, attempt, crashes, traits, job_id
),
waiting as (
  select run_id, tenant_id, lane, attempt, crashes, traits, job_id from unqueued
  union all select run_id, tenant_id, lane, attempt, crashes, traits, job_id from recalled
  union all select run_id, tenant_id, lane, attempt, crashes, traits, job_id from outdone
),
ended as (
  select
    run_id, fence, session_id, started_at, tenant_id, lane,
    least(attempt + 1, :attempts.counted)::smallint as attempt,
    crashes, traits, job_id, null::text as output, :states.cancelled::smallint as state,
    :outcomes.terminated::smallint as attempt_outcome, null::jsonb as error, 'superseded' as reason
  from terminated
  union all
  select
    run_id, null, null, null, tenant_id, lane, attempt, crashes, traits, job_id, null,
    :states.cancelled::smallint, null, null, 'superseded'
  from waiting
),
-- include: finish
select run_id from terminated
union all
select run_id from asked
