-- Live runs: first those held by a worker, longest first; then waiting ones, in the queue, in
-- `later`, or in `parked` behind another run of their job, soonest first. It has to be one
-- statement: two snapshots could both miss a run that moves between them.
--
-- Parameters: $1 tenant, $2 to $11 the filter (runs/filter-values.ts), $12 most rows, $13 states
--   text[], $14 most rows to read per place: the number wanted if the filter names only queue and
--   handler, otherwise null
-- Returns: id, state, handler, queue, priority, due_at, attempt
-- Types: id!, state RunState!, handler!, queue!, priority!, due_at!, attempt!
-- Locks: none. Index: queue_lane_pos by lane, later_due; leases and parked are small. Definitions
--   are read by id, one after another in order, until enough match.
with bound as materialized (
  select (floor(extract(epoch from clock_timestamp()) * 1000)::bigint << :pos.shift) | :pos.sequence as pos
),
chosen as materialized (
  select id, queue, handler, priority
  from punctual.lanes
  where tenant_id = $1::integer and ($2::text is null or queue = $2::text)
    and ($3::text is null or handler = $3::text)
),
near as (
  select n.run_id, n.state, c.queue, c.handler, c.priority, n.attempt, n.at
  from chosen c
  cross join lateral (
    select
      q.run_id, q.attempt, to_timestamp((q.pos >> :pos.shift)::float8 / 1000) as at,
      case when q.pos <= (select pos from bound) then 'queued' else 'scheduled' end as state
    from (
      select run_id, pos, attempt
      from punctual.queue
      where lane = c.id
        and pos > (select case when 'queued' = any ($13::text[]) then 0 else pos end from bound)
        and pos <= (select case when 'scheduled' = any ($13::text[]) then 9223372036854775807 else pos end from bound)
      order by pos
      limit $14::bigint
    ) q
    cross join lateral (
      select r.id, r.job_id, r.labels, r.key, r.due_at, r.created_at
      from punctual.runs r
      where r.id = q.run_id
      limit 1
    ) r
    where true
    -- include: run-filter
    order by q.pos
    limit $12::integer
  ) n
  where $13::text[] && '{queued,scheduled}'
),
far as (
  select c.run_id, 'scheduled' as state, c.queue, c.handler, c.priority, c.attempt, c.due_at as at
  from (
    select w.run_id, w.attempt, w.due_at, l.queue, l.handler, l.priority
    from punctual.later w
    join chosen l on l.id = w.lane
    order by w.due_at
    limit $14::bigint
  ) c
  cross join lateral (
    select r.id, r.job_id, r.labels, r.key, r.due_at, r.created_at
    from punctual.runs r
    where r.id = c.run_id
    limit 1
  ) r
  where 'scheduled' = any ($13::text[])
  -- include: run-filter
  order by c.due_at
  limit $12::integer
),
held_up as (
  select p.run_id, 'waiting' as state, c.queue, c.handler, c.priority, p.attempt, r.due_at as at
  from punctual.parked p
  join chosen c on c.id = p.lane
  join punctual.runs r on r.id = p.run_id
  where 'waiting' = any ($13::text[])
  -- include: run-filter
  order by r.due_at
  limit $12::integer
),
held as (
  select
    l.run_id, case when l.session_id = 0 then 'awaiting' when l.cancel_reason is null then 'running' else 'cancelling' end as state, c.queue, c.handler,
    c.priority, l.attempt, r.due_at as at, l.claimed_at
  from punctual.leases l
  join punctual.lanes c on c.id = l.lane
  join punctual.runs r on r.id = l.run_id
  where l.tenant_id = $1::integer
  and case when l.session_id = 0 then 'awaiting' when l.cancel_reason is null then 'running' else 'cancelling' end = any ($13::text[])
  -- include: run-filter
  order by l.claimed_at
  limit $12::integer
)
select run_id as id, state, handler, queue, priority, at as due_at, attempt
from (
  select run_id, state, queue, handler, priority, attempt, at, claimed_at from held
  union all
  select run_id, state, queue, handler, priority, attempt, at, 'infinity'
  from (table near union all table far union all table held_up) waiting
) live
order by claimed_at, at, run_id
limit $12::integer
