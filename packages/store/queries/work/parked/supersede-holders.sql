-- Runs that take the place of the run of their job that goes on. It is ended where it waits for another attempt,
-- and where it runs it is ended at once (terminate) or asked to end (cancel). Older runs that wait are
-- superseded as well.
--
-- Parameters: $1 own id for the counters, $2 run ids uuid[]
-- Returns: run_id of those whose handlers are to end
-- Locks: parked, leases, queue, later, cursors, own counter row. Index: primary keys, parked_job. Pinned: no
--   sequential scan.
with successors as materialized (
  select p.run_id, p.job_id, (p.traits >> 4) & 7 as policy, h.run_id as holder
  from punctual.parked p
  left join punctual.job_holds h on h.job_id = p.job_id
  where p.run_id = any ($2::uuid[]) and (p.traits >> 4) & 7 in (4, 5) and p.gate is null
),
terminated as (
  delete from punctual.leases
  where run_id = any (array(select holder from successors where policy = 5))
  returning
    run_id, fence, session_id,
    -- The claim is the start mark, unless the run has to have one of its own.
    case when crashes > 0 or traits & 2 <> 0 then started_at else coalesce(started_at, claimed_at) end as started_at,
    tenant_id, lane, attempt, crashes, traits, job_id
),
asked as (
  update punctual.leases
  set cancel_reason = 'superseded'
  where run_id = any (array(select holder from successors where policy = 4)) and cancel_reason is null
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
    run_id, fence, session_id, started_at, tenant_id, lane, (attempt + 1)::smallint as attempt, crashes, traits,
    job_id, null::text as output, 3::smallint as state, 6::smallint as attempt_outcome, null::jsonb as error,
    'superseded' as reason
  from terminated
  union all
  select
    run_id, null, null, null, tenant_id, lane, attempt, crashes, traits, job_id, null, 3::smallint, null, null,
    'superseded'
  from waiting
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
select run_id from terminated
union all
select run_id from asked
