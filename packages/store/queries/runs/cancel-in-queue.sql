-- Cancels runs that wait in `queue`.
--
-- Parameters: $1 own id for the counters, $2 run ids uuid[], $3 tenant, $4 reason
-- Returns: run_id of those cancelled
-- Locks: queue, live_keys, own counter row. Index: primary key of queue. Pinned: no sequential scan.
with ended as (
  delete from punctual.queue
  where run_id = any ($2::uuid[]) and tenant_id = $3::integer
  returning
    run_id, null::bigint as claim, null::bigint as session_id, tenant_id, lane, crashes, traits,
    null::text as output, attempt, 3::smallint as state, null::smallint as attempt_outcome,
    null::timestamptz as started_at, null::jsonb as error, $4::text as reason
),
-- finish: what follows from every end, the same in each statement that ends runs
finished as (
  insert into punctual.outcomes (
    run_id, claim, session_id, started_at, finished_at, tenant_id, lane, state, attempt, crashes,
    attempt_outcome, output, error, reason)
  select
    run_id, claim, session_id, started_at, statement_timestamp(), tenant_id, lane, state, attempt, crashes,
    attempt_outcome, output, error, reason
  from ended
),
freed as (
  delete from punctual.live_keys k
  using ended e
  where e.traits & 1 <> 0 and k.run_id = e.run_id
),
counted as (
  insert into punctual.counters (session_id, bucket_at, tenant_id, lane, state, runs)
  select
    $1::bigint, date_bin('10 seconds', statement_timestamp(), timestamptz 'epoch'), min(tenant_id), lane, state, count(*)
  from ended
  group by lane, state
  order by lane, state
  on conflict (session_id, bucket_at, lane, state)
    do update set runs = counters.runs + excluded.runs
)
-- end of finish
select run_id from ended
