-- Takes due runs of some lanes for a session: each leaves the queue and becomes a lease, in one step.
--
-- Parameters: $1 session, $2 claim (the fence, random, made by the worker), $3 lanes integer[],
--   $4 where to start in each lane bigint[], $5 rank of each lane smallint[] (0 = first), $6 most runs
-- Returns: first one row without run_id that describes the claim (payload = snapshot xmin, xmax, bound in
--   pos, smallest pos that is not due), unless the session has ended: then no row at all. Then the runs.
--   A run without max_attempts is older than two days: read it with read-runs.
-- Locks: session (key share), then queue rows (skip locked), then new leases.
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
     limit 1) as pos
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
  returning run_id, pos, tenant_id, lane, attempt, crashes, traits
),
leased as (
  insert into punctual.leases (
    run_id, claim, session_id, claimed_at, tenant_id, lane, attempt, crashes, traits)
  select run_id, $2::bigint, $1::bigint, clock_timestamp(), tenant_id, lane, attempt, crashes, traits
  from taken
)
select
  null::uuid as run_id, null::bigint as pos, null::integer as lane, null::smallint as attempt,
  null::smallint as crashes, null::smallint as traits, null::smallint as max_attempts,
  null::integer as timeout_ms, null::float8 as due_ms,
  concat_ws(' ', pg_snapshot_xmin(pg_current_snapshot()), pg_snapshot_xmax(pg_current_snapshot()),
    (select pos from bound),
    (select min(pos) from heads where pos > (select pos from bound))) as payload,
  null::text as retry, null::text as trace
from me
union all
select
  t.run_id, t.pos, t.lane, t.attempt, t.crashes, t.traits,
  coalesce(today.max_attempts, yesterday.max_attempts),
  coalesce(today.timeout_ms, yesterday.timeout_ms),
  extract(epoch from coalesce(today.due_at, yesterday.due_at))::float8 * 1000,
  coalesce(today.payload, yesterday.payload),
  coalesce(today.retry, yesterday.retry),
  coalesce(today.trace, yesterday.trace)
from taken t
left join punctual.runs /* day 0 */ today on today.id = t.run_id
left join punctual.runs /* day -1 */ yesterday on yesterday.id = t.run_id
