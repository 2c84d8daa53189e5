-- Ends runs whose handler returned: all of them, or none when a lease is gone (then settle-succeeded finds
-- out which). It does what settle-succeeded does, with nothing kept in between: a test compares the two.
-- The fences are compared by their number and their sum: each is random, and a list in a filter would be
-- searched from its beginning for every row.
--
-- Parameters: $1 session, $2 run ids uuid[], $3 fences bigint[], $4 ms since the handler was called
--   integer[], $5 outputs text[] or null, $6 lanes integer[] or null, $7 lane of all (when lanes is null),
--   $8 tenant, $9 attempts smallint[] or null, $10 crashes smallint[] or null (null = attempt 1, 0 crashes),
--   $11 runs that hold a key uuid[] or null, $12 sum of the fences, $13 lanes that are counted integer[]
--   (sorted, none twice), $14 runs of each bigint[], $15 jobs that their runs hold uuid[] or null, $16 jobs for
--   which an end means something uuid[] or null (sorted, none twice), $17 rearms
--   boolean[] (whether the end decides when the job fires next), $18 runs that have a gate uuid[] or null
-- Returns: one row: true. Raises PN001, or a duplicate outcome, when a lease is gone.
-- Types: settled!
-- Locks: leases, live_keys, job_holds, cursors, own counter row. Index: primary keys, by lists of ids that are near each other.
--   Pinned: no sequential scan.
with gone as (
  delete from punctual.leases
  where run_id = any ($2::uuid[])
  returning fence
),
finished as (
  insert into punctual.outcomes (
    run_id, fence, session_id, started_at, finished_at, tenant_id, lane, state, attempt, crashes,
    attempt_outcome, output)
  select
    i.run_id, i.fence, $1::bigint,
    statement_timestamp() - i.started_ago_ms * interval '1 millisecond', statement_timestamp(),
    $8::integer, coalesce(i.lane, $7::integer), :states.succeeded, coalesce(i.attempt, 1::smallint),
    coalesce(i.crashes, 0::smallint), :outcomes.succeeded, i.output
  from (
    select
      unnest($2::uuid[]) as run_id, unnest($3::bigint[]) as fence,
      unnest($4::integer[]) as started_ago_ms, unnest($5::text[]) as output,
      unnest($6::integer[]) as lane, unnest($9::smallint[]) as attempt,
      unnest($10::smallint[]) as crashes
  ) i
),
freed as (
  delete from punctual.live_keys where run_id = any ($11::uuid[])
),
unheld as (
  -- The second list is looked up by its hash: as a list, or as a join, it would be searched for every row.
  delete from punctual.job_holds
  where job_id = any ($15::uuid[]) and (run_id = any (select unnest($2::uuid[]))) is true
),
ungated as (
  delete from punctual.gated where run_id = any ($18::uuid[])
),
followed as (
  update punctual.cursors c
  set
    failures = 0,
    -- A job that waits for it has no anchor; one that was given other rules meanwhile has its own.
    anchor_at = case
      when j.rearms and c.anchor_at is null then date_trunc('milliseconds', statement_timestamp())
      else c.anchor_at
    end,
    next_at = case
      when j.rearms and c.anchor_at is null and c.next_at is null and not c.paused
        then date_trunc('milliseconds', statement_timestamp())
      else c.next_at
    end
  from unnest($16::uuid[], $17::boolean[]) as j (job_id, rearms)
  where c.job_id = j.job_id and (j.rearms or c.failures > 0)
),
counted as (
  insert into punctual.counters (session_id, bucket_at, tenant_id, lane, state, runs)
  select
    $1::bigint, date_bin('10 seconds', statement_timestamp(), timestamptz 'epoch'), $8::integer,
    c.lane, :states.succeeded, c.runs
  from unnest($13::integer[], $14::bigint[]) as c (lane, runs)
  on conflict (session_id, bucket_at, lane, state, connection)
    do update set runs = counters.runs + excluded.runs
)
select
  punctual.insist(
    (select count(*) = cardinality($2::uuid[]) and sum(fence) = $12::numeric from gone),
    'a lease is gone') as settled
