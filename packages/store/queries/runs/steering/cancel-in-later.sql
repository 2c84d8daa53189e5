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
    null::text as output, attempt, 3::smallint as state, null::smallint as attempt_outcome,
    null::timestamptz as started_at, null::jsonb as error, $4::text as reason
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
select run_id, job_id from ended
