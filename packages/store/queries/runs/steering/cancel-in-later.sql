-- Cancels runs that wait in `later`.
--
-- Parameters: $1 this process's id for the counters, $2 run ids uuid[], $3 tenant, $4 reason
-- Returns: run_id and job_id of each cancelled run
-- Locks: later, live_keys, this process's counter row. Index: primary key of later. Pinned: no
--   sequential scan.
with ended as (
  delete from punctual.later
  where run_id = any ($2::uuid[]) and tenant_id = $3::integer
  returning
    run_id, null::bigint as fence, null::bigint as session_id, tenant_id, lane, crashes, traits, job_id,
    null::text as output, attempt, :states.cancelled::smallint as state, null::smallint as attempt_outcome,
    null::timestamptz as started_at, null::jsonb as error, $4::text as reason
),
-- include: finish
select run_id, job_id from ended
