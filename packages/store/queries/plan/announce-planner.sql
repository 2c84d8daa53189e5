-- Says that a planner is alive, and who else is.
--
-- Parameters: $1 planner, $2 for how long in ms
-- Returns: one row: the clock in ms, the other planners bigint[] or null, whether any job waits for a slot
-- Locks: own row. Index: primary key; cursors_due. Pinned: no sequential scan.
with me as (
  insert into punctual.planners (id, expires_at)
  values ($1::bigint, clock_timestamp() + $2::bigint * interval '1 millisecond')
  on conflict (id) do update set expires_at = excluded.expires_at
),
gone as (
  delete from punctual.planners where expires_at < clock_timestamp() - interval '1 minute'
)
select
  floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms,
  (select array_agg(id) from punctual.planners where expires_at > clock_timestamp() and id <> $1::bigint) as others,
  exists (select from punctual.cursors where next_at is not null) as any_job
