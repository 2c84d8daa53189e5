-- Ends attempts that failed and will be followed by another one: near ones go to the queue, far ones wait. Those
-- that were asked to end are left for settle-cancelled.
--
-- Parameters: $1 run ids uuid[], $2 fences bigint[], $3 ms since the handler was called integer[],
--   $4 attempt outcomes smallint[], $5 errors jsonb[], $6 delays in ms bigint[], $7 horizon in ms
-- Returns: one row: accepted (null when all were, otherwise the ids that were)
-- Locks: leases. Index: primary keys. Pinned: nested loops.
with ended as (
  delete from punctual.leases l
  using unnest($1::uuid[], $2::bigint[], $3::integer[], $4::smallint[], $5::jsonb[], $6::bigint[])
    as i (run_id, fence, started_ago_ms, outcome, error, delay_ms)
  where l.run_id = i.run_id and l.fence = i.fence and l.cancel_reason is null
  returning
    l.run_id, l.fence, l.session_id, l.tenant_id, l.lane, l.crashes, l.traits, l.job_id,
    least(l.attempt + 1, :attempts.counted)::smallint as attempt, i.outcome, i.error, i.delay_ms,
    statement_timestamp() - i.started_ago_ms * interval '1 millisecond' as started_at,
    floor(extract(epoch from clock_timestamp()) * 1000)::bigint + i.delay_ms as next_ms
),
kept as (
  insert into punctual.attempts (
    run_id, fence, session_id, started_at, ended_at, tenant_id, attempt, outcome, error)
  select run_id, fence, session_id, started_at, clock_timestamp(), tenant_id, attempt, outcome, error
  from ended
  -- The number of attempts is saturated: the last ones share a number, and the first is kept.
  on conflict (run_id, attempt) do nothing
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select run_id, next_ms << :pos.shift, tenant_id, lane, attempt, crashes, traits, job_id
  from ended
  where delay_ms <= $7::bigint
),
postponed as (
  insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits, job_id)
  select run_id, to_timestamp(next_ms::float8 / 1000), tenant_id, lane, attempt, crashes, traits, job_id
  from ended
  where delay_ms > $7::bigint
)
select
  case
    when (select count(*) from ended) <> cardinality($1::uuid[])
      then coalesce((select array_agg(run_id) from ended), '{}')
  end as accepted
