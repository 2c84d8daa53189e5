-- Ends runs whose handler ended because it was asked to, or which were asked to and did not start, for good.
--
-- Parameters: $1 session, $2 run ids uuid[], $3 fences bigint[], $4 ms since the handler was called
--   integer[], $5 errors jsonb[], $6 reasons text[] (what was asked for comes first), $7 whether only those
--   that the database knows to have been asked
-- Returns: one row: accepted (null when all were, otherwise the ids that were)
-- Locks: leases, live_keys, job_holds, cursors, own counter row. Index: primary keys. Pinned: nested loops.
with ended as (
  delete from punctual.leases l
  using unnest($2::uuid[], $3::bigint[], $4::integer[], $5::jsonb[], $6::text[])
    as i (run_id, fence, started_ago_ms, error, reason)
  where l.run_id = i.run_id and l.fence = i.fence and (l.cancel_reason is not null or not $7::boolean)
  returning
    l.run_id, l.fence, l.session_id, l.tenant_id, l.lane, l.crashes, l.traits, l.job_id, null::text as output,
    least(l.attempt + 1, :attempts.counted)::smallint as attempt, :states.cancelled::smallint as state, :outcomes.cancelled::smallint as attempt_outcome,
    statement_timestamp() - i.started_ago_ms * interval '1 millisecond' as started_at, i.error,
    coalesce(l.cancel_reason, i.reason) as reason
),
-- include: finish
select
  case
    when (select count(*) from ended) <> cardinality($2::uuid[])
      then coalesce((select array_agg(run_id) from ended), '{}')
  end as accepted
