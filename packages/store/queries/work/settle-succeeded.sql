-- Ends runs whose handler returned, when some of them may not be ours any more: run and fence must match as
-- a pair, and what does not is left alone. The common case is settle-all-succeeded.
--
-- Parameters: $1 session, $2 run ids uuid[], $3 fences bigint[], $4 ms since the handler was called
--   integer[], $5 outputs text[] or null
-- Returns: one row: accepted (null when all were, otherwise the ids that were)
-- Locks: leases, live_keys, own counter row. Index: primary keys. Pinned: nested loops, so that the join
--   cannot flip to a scan of a table full of dead rows.
with ended as (
  delete from punctual.leases l
  using unnest($2::uuid[], $3::bigint[], $4::integer[], $5::text[])
    as i (run_id, fence, started_ago_ms, output)
  where l.run_id = i.run_id and l.fence = i.fence
  returning
    l.run_id, l.fence, l.session_id, l.tenant_id, l.lane, l.crashes, l.traits, l.job_id, i.output,
    least(l.attempt + 1, :attempts.counted)::smallint as attempt, :states.succeeded::smallint as state, :outcomes.succeeded::smallint as attempt_outcome,
    statement_timestamp() - i.started_ago_ms * interval '1 millisecond' as started_at,
    null::jsonb as error, null::text as reason
),
-- include: finish
select
  case
    when (select count(*) from ended) <> cardinality($2::uuid[])
      then coalesce((select array_agg(run_id) from ended), '{}')
  end as accepted
