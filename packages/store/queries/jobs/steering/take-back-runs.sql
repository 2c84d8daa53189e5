-- Withdraws the decisions for slots that are still ahead, back to the last decision that stays: one
-- whose run a worker has claimed or that has ended, or a skip that began in the past. The runs end
-- as cancelled, and the slots are undecided again.
--
-- Parameters: $1 this process's id for the counters, $2 job, $3 slots in ms bigint[], $4 reason,
--   $5 the clock in ms
-- Returns: one row: the last slot ahead whose decision stays in ms (null when none does), how many
--   runs and how many decisions were withdrawn
-- Locks: queue, slots, this process's counter row; the caller holds the cursor. Index: primary
--   keys. Pinned: no sequential scan.
with planned as materialized (
  select s.slot_at, s.from_at, s.run_id
  from punctual.slots s
  where s.job_id = $2::uuid
    and s.slot_at = any (array(select to_timestamp(ms::float8 / 1000) from unnest($3::bigint[]) as i (ms)))
),
waiting as materialized (
  select run_id from punctual.queue where run_id = any (array(select run_id from planned)) for update
),
stays as materialized (
  select max(p.slot_at) as slot_at
  from planned p
  where case
    when p.run_id is null then coalesce(p.from_at, p.slot_at) <= to_timestamp($5::float8 / 1000)
    else p.run_id not in (select run_id from waiting)
  end
),
ahead as materialized (
  select p.slot_at, p.run_id
  from planned p
  cross join stays
  where p.slot_at > coalesce(stays.slot_at, '-infinity')
),
ended as (
  delete from punctual.queue
  where run_id = any (array(select run_id from ahead))
  returning
    run_id, null::bigint as fence, null::bigint as session_id, tenant_id, lane, crashes, traits,
    null::text as output, attempt, 3::smallint as state, null::smallint as attempt_outcome,
    null::timestamptz as started_at, null::jsonb as error, $4::text as reason, job_id
),
withdrawn as (
  delete from punctual.slots s
  where s.job_id = $2::uuid and s.slot_at = any (array(select slot_at from ahead))
  returning s.slot_at
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
  (select (extract(epoch from slot_at) * 1000)::bigint from stays) as stay_ms,
  (select count(*) from ended)::integer as runs,
  (select count(*) from withdrawn)::integer as decisions
