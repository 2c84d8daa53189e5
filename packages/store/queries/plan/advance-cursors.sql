-- Moves the cursors of jobs that have not changed since they were read. Skips jobs that another
-- planner has moved or that a user is editing: the planner or editor that holds the cursor decides
-- their slots.
--
-- Parameters: $1 job ids uuid[] (sorted: racing planners lock in one order), $2 next slots as read
--   in ms bigint[], $3 versions integer[], $4 new next slots in ms bigint[], $5 last slots decided
--   in ms bigint[], $6 runs left integer[], $7 anchors in ms bigint[]
-- Returns: one row: positions in the lists of the moved jobs bigint[] (null when none was moved)
-- Locks: cursors (skip locked). Index: primary key, then by ctid. Pinned: no sequential scan.
with given as materialized (
  select n, job_id, next_ms, version, new_next_ms, cursor_ms, runs_left, anchor_ms
  from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::bigint[], $5::bigint[], $6::integer[], $7::bigint[])
    with ordinality as g (job_id, next_ms, version, new_next_ms, cursor_ms, runs_left, anchor_ms, n)
),
locked as materialized (
  select c.place, g.n, g.new_next_ms, g.cursor_ms, g.runs_left, g.anchor_ms
  from given g
  cross join lateral (
    select ctid as place
    from punctual.cursors
    where job_id = g.job_id and next_at = to_timestamp(g.next_ms::float8 / 1000) and version = g.version
    for update skip locked
  ) c
),
moved as (
  update punctual.cursors c
  set
    next_at = to_timestamp(l.new_next_ms::float8 / 1000),
    cursor_at = greatest(c.cursor_at, to_timestamp(l.cursor_ms::float8 / 1000)),
    runs_left = l.runs_left,
    anchor_at = to_timestamp(l.anchor_ms::float8 / 1000)
  from locked l
  where c.ctid = l.place
  returning l.n
)
select array_agg(n) as positions from moved
