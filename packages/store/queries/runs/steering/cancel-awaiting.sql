-- Cancels runs that await the reports of their targets. They end at once: no worker would read a
-- request to end them.
--
-- Parameters: $1 this process's id for the counters, $2 run ids uuid[], $3 tenant, $4 reason
-- Returns: run_id and job_id of each cancelled run, and its gate
-- Types: gate bigint
-- Locks: leases, live_keys, this process's counter row. Index: primary key of leases. Pinned: no
--   sequential scan.
with gone as (
  delete from punctual.leases
  where run_id = any ($2::uuid[]) and tenant_id = $3::integer and session_id = 0
  returning run_id, fence, started_at, tenant_id, lane, attempt, crashes, traits, job_id, gate
),
ended as (
  select
    run_id, fence, null::bigint as session_id, tenant_id, lane, crashes, traits, job_id,
    null::text as output, least(attempt + 1, :attempts.counted)::smallint as attempt, :states.cancelled::smallint as state,
    :outcomes.cancelled::smallint as attempt_outcome, started_at, null::jsonb as error,
    $4::text as reason
  from gone
),
-- include: finish
select run_id, job_id, gate from gone
