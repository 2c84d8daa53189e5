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
    (l.attempt + 1)::smallint as attempt, 1::smallint as state, 1::smallint as attempt_outcome,
    statement_timestamp() - i.started_ago_ms * interval '1 millisecond' as started_at,
    null::jsonb as error, null::text as reason
),
-- finish: the consequences of ending runs; identical in every statement that ends runs
finished as (
  insert into punctual.outcomes (
    run_id, fence, session_id, started_at, finished_at, tenant_id, lane, state, attempt, crashes,
    attempt_outcome, output, error, reason)
  select
    run_id, fence, session_id, started_at, statement_timestamp(), tenant_id, lane, state, attempt, crashes,
    attempt_outcome, output, error, reason
  from ended
),
freed as (
  delete from punctual.live_keys k
  using ended e
  where e.traits & 1 <> 0 and k.run_id = e.run_id
),
unheld as (
  delete from punctual.job_holds h
  using ended e
  where e.traits & 112 <> 0 and h.job_id = e.job_id and h.run_id = e.run_id
),
ungated as (
  delete from punctual.gated g
  using ended e
  where e.traits & 256 <> 0 and g.run_id = e.run_id
),
followed as (
  -- Updates the job: counts the result of the run, whose end may decide when the job fires next.
  update punctual.cursors c
  set
    failures = case when e.succeeded then 0 else c.failures + e.dead end,
    -- A job that waits for this run has no anchor. A job with new rules has its own.
    anchor_at = case
      when e.rearms and c.anchor_at is null then date_trunc('milliseconds', statement_timestamp())
      else c.anchor_at
    end,
    next_at = case
      when e.rearms and c.anchor_at is null and c.next_at is null and not c.paused
        then date_trunc('milliseconds', statement_timestamp())
      else c.next_at
    end
  from (
    select
      job_id, bool_or(traits & 4 <> 0) as rearms, bool_or(state = 1 and traits & 8 <> 0) as succeeded,
      count(*) filter (where state = 2 and traits & 8 <> 0)::integer as dead
    from ended
    where traits & 12 <> 0
    group by job_id
    order by job_id
  ) e
  where c.job_id = e.job_id and (e.rearms or e.dead > 0 or c.failures > 0)
),
counted as (
  insert into punctual.counters (session_id, bucket_at, tenant_id, lane, state, runs)
  select
    $1::bigint, date_bin('10 seconds', statement_timestamp(), timestamptz 'epoch'), min(tenant_id), lane, state, count(*)
  from ended
  group by lane, state
  order by lane, state
  on conflict (session_id, bucket_at, lane, state, connection)
    do update set runs = counters.runs + excluded.runs
)
-- end of finish
select
  case
    when (select count(*) from ended) <> cardinality($2::uuid[])
      then coalesce((select array_agg(run_id) from ended), '{}')
  end as accepted
