-- Ends runs that must not run twice, and of which nobody knows what their targets did.
--
-- Parameters: $1 session, $2 run ids uuid[], $3 fences bigint[], $4 ms since the handler was called
--   integer[], $5 attempt outcomes smallint[], $6 errors jsonb[], $7 reasons text[]
-- Returns: one row: accepted (null when all were, otherwise the ids that were)
-- Locks: leases, live_keys, own counter row. Index: primary keys. Pinned: nested loops.
with ended as (
  delete from punctual.leases l
  using unnest($2::uuid[], $3::bigint[], $4::integer[], $5::smallint[], $6::jsonb[], $7::text[])
    as i (run_id, fence, started_ago_ms, attempt_outcome, error, reason)
  where l.run_id = i.run_id and l.fence = i.fence
  returning
    l.run_id, l.fence, l.session_id, l.tenant_id, l.lane, l.crashes, l.traits, l.job_id, null::text as output,
    least(l.attempt + 1, :attempts.counted)::smallint as attempt, :states.unknown::smallint as state, i.attempt_outcome,
    statement_timestamp() - i.started_ago_ms * interval '1 millisecond' as started_at,
    i.error, i.reason
),
-- include: finish
select
  case
    when (select count(*) from ended) <> cardinality($2::uuid[])
      then coalesce((select array_agg(run_id) from ended), '{}')
  end as accepted
