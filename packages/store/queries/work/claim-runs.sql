-- Takes due runs of some lanes for a session: each leaves the queue and becomes a lease, in one
-- step. This is the form for lanes that hold nothing controlled. It takes nothing when a lane has a
-- limit of concurrency or of a rate, or when a run at hand has an overlap policy or a flow-control
-- key; claim-controlled-runs takes those. Nothing is taken from a paused queue, nor by a session
-- that was asked to drain.
--
-- Parameters: $1 session, $2 first fence (random, made by the worker; each run gets the next
--   number, so that a fence belongs to one lease of one run), $3 lanes integer[], $4 where to start
--   in each lane bigint[], $5 rank of each lane smallint[] (0 = first), $6 most runs, $7 weight of
--   each lane integer[], $8 ageing of each lane in ms bigint[], null for none
-- Returns: no row when the session has ended. Otherwise one row: controlled, the lanes that need
--   the other form; unseen, the lanes that were not examined; next_pos, the smallest pos that is
--   not due; then the columns of parts/claim/answer
-- Locks: session (key share), then queue rows (skip locked), then new leases.
-- Index: queue_lane_pos, from the start given; primary keys. Pinned: no sequential scan.
-- include: claim/due
limited as materialized (
  -- Usually there is no limit, which one probe shows.
  select n.id as lane
  from punctual.lanes n
  where exists (select from punctual.limits) and n.id = any ($3::integer[]) and exists (
    select from punctual.limits m
    where m.tenant_id = n.tenant_id and coalesce(m.queue, '') = any (array[n.queue, ''])
      and coalesce(m.concurrency, m.rate_interval_us) is not null)
),
found as materialized (
  select q.place, q.lane, q.traits
  from (select lane, pos, share from shares order by rank, pos) s
  -- include: claim/pick
  limit $6::integer
),
controlled as materialized (
  select lane from limited union select lane from found where traits & :traits.controlled <> 0
),
picked as materialized (select place from found where not exists (select from controlled)),
-- include: claim/taken
given as materialized (
  select lane, count(*) as runs, max(pos) as last_pos,
    (select share from shares s where s.lane = n.lane) as share
  from numbered n group by lane
),
leased as (
  insert into punctual.leases
    (run_id, fence, session_id, claimed_at, tenant_id, lane, attempt, crashes, traits, job_id)
  select run_id, $2::bigint + n, $1::bigint, statement_timestamp(), tenant_id, lane, attempt,
    crashes, traits, job_id
  from numbered
)
select
  (select string_agg(lane::text, ',') from controlled) as controlled,
  (select string_agg(lane::text, ',') from unseen) as unseen,
  (select min(next_pos) from heads) as next_pos,
-- include: claim/answer
