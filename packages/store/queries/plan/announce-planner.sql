-- Announces that a planner is alive, and returns the other live planners.
--
-- Parameters: $1 planner, $2 validity in ms, $3 the version of its time zone data
-- Returns: one row: the clock in ms; the ids of the other planners bigint[] or null, only those
--   with the newest time zone data of all; whether any job waits for a slot; the newest version
--   among the other planners or null
-- Types: now_ms!, others text[], any_job!
-- Locks: its own row. Index: primary key; cursors_due. Pinned: no sequential scan.
with me as (
  insert into punctual.planners (id, expires_at, zone_data)
  values ($1::bigint, clock_timestamp() + $2::bigint * interval '1 millisecond', $3::text)
  on conflict (id) do update set expires_at = excluded.expires_at, zone_data = excluded.zone_data
),
others as materialized (
  select id, zone_data from punctual.planners where expires_at > clock_timestamp() and id <> $1::bigint
),
gone as (
  delete from punctual.planners where expires_at < clock_timestamp() - interval '1 minute'
)
select
  floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms,
  (select array_agg(id) from others where zone_data = (select greatest(max(zone_data), $3::text) from others)) as others,
  exists (select from punctual.cursors where next_at is not null) as any_job,
  (select max(zone_data) from others) as newest
