-- Runs that may not wait for the run of their job that goes on: they are skipped. Of jobs that let one run wait,
-- those behind the first.
--
-- Parameters: $1 own id for the counters, $2 run ids uuid[]
-- Returns: run_id of those skipped
-- Locks: parked, cursors, own counter row. Index: primary keys, parked_job. Pinned: no sequential scan.
with ended as (
  delete from punctual.parked p
  where p.run_id = any (array(
    select g.run_id from punctual.parked g where g.run_id = any ($2::uuid[]) and (g.traits >> 4) & 7 = 1 and g.gate is null
    union all
    -- Of all that wait for the job: one that was parked before ours may have been seen only now.
    select o.run_id
    from punctual.parked g
    join punctual.parked o on o.job_id = g.job_id and o.gate is null
    where g.run_id = any ($2::uuid[]) and (o.traits >> 4) & 7 = 2 and g.gate is null
      and exists (select from punctual.parked f where f.job_id = o.job_id and f.run_id < o.run_id and f.gate is null)))
  returning
    run_id, null::bigint as fence, null::bigint as session_id, tenant_id, lane, crashes, traits, job_id,
    null::text as output, attempt, 4::smallint as state, null::smallint as attempt_outcome,
    null::timestamptz as started_at, null::jsonb as error, 'overlap' as reason
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
select run_id from ended
