-- Takes due runs of some lanes for a session: each leaves the queue and becomes a lease, in one step. One that
-- must not overlap with another run of its job, and would, is parked instead.
--
-- Parameters: $1 session, $2 first fence (random, made by the worker; each run gets the next number, so a
--   fence belongs to one lease of one run), $3 lanes integer[], $4 where to start in each lane bigint[],
--   $5 rank of each lane smallint[] (0 = first), $6 most runs
-- Returns: no row when the session has ended. Otherwise one row: snapshot xmin and xmax, the bound in pos,
--   the smallest pos that is not due; arrays of the lanes that gave something: lanes, how many, the last pos;
--   arrays of the runs taken in the order of their fences, which is that of their ids: run_ids, lanes (null when
--   all are of one), (traits << 24) | (crashes << 16) | attempt; arrays of what those of today are to do: ids,
--   max_attempts, timeouts in ms, due times in ms; payloads, retries and traces are joined by U+001E, which
--   none of them can hold, and so are the slots of jobs (slot in ms, comma, first slot missed in ms; empty for
--   other runs). A payload over 8,000 bytes is left empty, and a run of another day is left out: they are read
--   with read-runs. Last, for runs of jobs: their places in the first lists, their jobs; and the ids that were
--   parked (null when none was).
-- Locks: session (key share), then queue rows (skip locked), then holds of jobs (sorted), then new leases.
-- Index: queue_lane_pos, from the start given; primary keys. Pinned: no sequential scan.
with me as materialized (
  -- Without this guard a claim that races the reaper leaves a lease that belongs to nobody.
  select id
  from punctual.sessions
  where id = $1::bigint and expires_at > clock_timestamp()
  for key share
),
bound as materialized (
  select (floor(extract(epoch from clock_timestamp()) * 1000)::bigint << 20) | 1048575 as pos
),
heads as materialized (
  select
    l.lane, l.rank,
    (select q.pos from punctual.queue q
     where q.lane = l.lane and q.pos >= l.start_pos
     order by q.pos
     limit 1) as pos,
    -- Also of a lane that has something due: whoever takes it has to know when to come back.
    (select q.pos from punctual.queue q
     where q.lane = l.lane and q.pos > (select pos from bound)
     order by q.pos
     limit 1) as next_pos
  from unnest($3::integer[], $4::bigint[], $5::smallint[]) as l (lane, start_pos, rank)
  where exists (select from me)
),
due as materialized (
  -- Lanes of one rank share alike; a rank that is empty leaves everything to the next.
  select lane, rank, pos, ceil($6::integer::float8 / count(*) over (partition by rank))::integer as share
  from heads
  where pos <= (select pos from bound)
  order by rank, pos
),
picked as materialized (
  select q.place
  from due
  cross join lateral (
    select q.ctid as place
    from punctual.queue q
    -- The bound is a sub-select: a volatile function here would filter the whole lane.
    where q.lane = due.lane and q.pos >= due.pos and q.pos <= (select pos from bound)
    order by q.pos
    limit due.share
    for update skip locked
  ) q
  limit $6::integer
),
taken as (
  delete from punctual.queue
  where ctid = any (array(select place from picked))
  returning run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id
),
numbered as materialized (
  -- By id, which is how the runs are read below: mostly the two lists then name the same runs.
  select row_number() over (order by run_id) as n, run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id
  from taken
),
held as (
  insert into punctual.job_holds (job_id, run_id)
  select job_id, run_id from numbered where traits & 112 <> 0 order by job_id, run_id
  on conflict (job_id) do nothing
  returning run_id
),
parked as (
  insert into punctual.parked (run_id, parked_at, job_id, tenant_id, lane, attempt, crashes, traits)
  select n.run_id, clock_timestamp(), n.job_id, n.tenant_id, n.lane, n.attempt, n.crashes, n.traits
  from numbered n
  where n.traits & 112 <> 0 and n.run_id not in (select run_id from held)
    -- A run that comes back holds its job already.
    and not exists (select from punctual.job_holds h where h.job_id = n.job_id and h.run_id = n.run_id)
  returning run_id
),
leased as (
  insert into punctual.leases (
    run_id, claim, session_id, claimed_at, tenant_id, lane, attempt, crashes, traits, job_id)
  select
    run_id, $2::bigint + n, $1::bigint, statement_timestamp(), tenant_id, lane, attempt, crashes, traits, job_id
  from numbered
  where traits & 112 = 0 or run_id not in (select run_id from parked)
)
select
  pg_snapshot_xmin(pg_current_snapshot()) as xmin, pg_snapshot_xmax(pg_current_snapshot()) as xmax,
  (select pos from bound) as bound,
  (select min(next_pos) from heads) as next_pos,
  gave.lanes, gave.runs, gave.last_pos,
  taken.run_ids, case when cardinality(gave.lanes) > 1 then (select array_agg(lane) from numbered) end, taken.traits,
  today.ids, today.max_attempts, today.timeouts_ms, today.due_ms, today.payloads, today.retries, today.traces,
  today.slots, taken.job_places, taken.job_ids, (select array_agg(run_id) from parked) as parked
from me
cross join (
  select
    array_agg(run_id) as run_ids, array_agg((traits::integer << 24) | (crashes::integer << 16) | attempt) as traits,
    array_agg(n) filter (where job_id is not null) as job_places,
    array_agg(job_id) filter (where job_id is not null) as job_ids
  from numbered
) taken
cross join (
  select array_agg(lane) as lanes, array_agg(runs) as runs, array_agg(last_pos) as last_pos
  from (select lane, count(*) as runs, max(pos) as last_pos from numbered group by lane) of_lane
) gave
cross join (
  select
    array_agg(r.id) as ids, array_agg(r.max_attempts) as max_attempts,
    array_agg(r.timeout_ms) as timeouts_ms,
    array_agg((date_part('epoch', r.due_at) * 1000)::bigint) as due_ms,
    string_agg(case when octet_length(r.payload) <= 8000 then r.payload else '' end, e'\x1e') as payloads,
    string_agg(coalesce(r.retry, ''), e'\x1e') as retries,
    string_agg(coalesce(r.trace, ''), e'\x1e') as traces,
    string_agg(
      case
        when r.job_id is null then ''
        else concat(
          (date_part('epoch', r.slot_at) * 1000)::bigint, ',', (date_part('epoch', r.missed_from) * 1000)::bigint)
      end, e'\x1e') as slots
  -- By a list of ids, which are near each other: one descent into the index serves many.
  from punctual.runs /* day 0 */ r
  where r.id = any (array(select run_id from numbered))
) today
