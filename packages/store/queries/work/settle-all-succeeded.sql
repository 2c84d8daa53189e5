-- Ends runs whose handler returned: all of them, or none when a lease is gone (then settle-succeeded finds
-- out which). The fences are compared by their number and their sum: each is random, and a list in a filter
-- would be searched from its beginning for every row.
--
-- Parameters: $1 session, $2 run ids uuid[], $3 fences bigint[], $4 ms since the handler was called
--   integer[], $5 outputs text[] or null, $6 lanes integer[] or null, $7 lane of all when $6 is null,
--   $8 tenant, $9 attempts smallint[] or null, $10 crashes smallint[] or null (null = attempt 1, 0 crashes),
--   $11 traits smallint[] or null (null = none), $12 sum of the fences
-- Returns: one row: true. Raises PN001, or a duplicate outcome, when a lease is gone.
-- Locks: leases, live_keys, own counter row. Index: primary keys, by lists of ids that are near each other.
--   Pinned: no sequential scan.
with gone as (
  delete from punctual.leases
  where run_id = any ($2::uuid[])
  returning claim
),
ended as (
  select
    i.run_id, i.claim, $1::bigint as session_id, $8::integer as tenant_id,
    coalesce(i.lane, $7::integer) as lane, coalesce(i.crashes, 0::smallint) as crashes,
    coalesce(i.traits, 0::smallint) as traits, i.output,
    coalesce(i.attempt, 1::smallint) as attempt, 1::smallint as state, 1::smallint as attempt_outcome,
    statement_timestamp() - i.started_ago_ms * interval '1 millisecond' as started_at,
    null::jsonb as error, null::text as reason
  from (
    select
      unnest($2::uuid[]) as run_id, unnest($3::bigint[]) as claim,
      unnest($4::integer[]) as started_ago_ms, unnest($5::text[]) as output,
      unnest($6::integer[]) as lane, unnest($9::smallint[]) as attempt,
      unnest($10::smallint[]) as crashes, unnest($11::smallint[]) as traits
  ) i
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
select
  punctual.insist(
    (select count(*) = cardinality($2::uuid[]) and sum(claim) = $12::numeric from gone),
    'a lease is gone') as settled
