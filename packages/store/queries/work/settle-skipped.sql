-- Ends runs that their worker did not start, because they are not worth running any more. One that was asked to end has
-- ended for that reason.
--
-- Parameters: $1 session, $2 run ids uuid[], $3 fences bigint[], $4 reasons text[]
-- Returns: one row: accepted (null when all were, otherwise the ids that were)
-- Locks: leases, live_keys, job_holds, cursors, own counter row. Index: primary keys. Pinned: nested loops.
with ended as (
  delete from punctual.leases l
  using unnest($2::uuid[], $3::bigint[], $4::text[]) as i (run_id, fence, reason)
  where l.run_id = i.run_id and l.fence = i.fence
  returning
    l.run_id, l.fence, l.session_id, l.tenant_id, l.lane, l.crashes, l.traits, l.job_id, null::text as output,
    l.attempt, (case when l.cancel_reason is null then :states.skipped else :states.cancelled end)::smallint as state,
    null::smallint as attempt_outcome, null::timestamptz as started_at, null::jsonb as error,
    coalesce(l.cancel_reason, i.reason) as reason
),
-- include: finish
select
  case
    when (select count(*) from ended) <> cardinality($2::uuid[])
      then coalesce((select array_agg(run_id) from ended), '{}')
  end as accepted
