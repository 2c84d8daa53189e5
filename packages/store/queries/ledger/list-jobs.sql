-- Jobs and their cursors by id, a page at a time. Includes a job without a cursor and a cursor
-- without a job.
--
-- Parameters: $1 after this id, $2 most rows, $3 only this id or null, $4 the version of this
--   node's time zone data
-- Returns: id, timing, version (null without a cursor), created in ms (null without a job), next,
--   cursor, anchor and end in ms, runs_left, whether it is paused, whether it is set aside; the
--   clock in ms, whether a planner is alive, and whether no planner has newer time zone data
-- Types: id!, timing!, set_aside!, now_ms!, planning!, zones_current!
-- Locks: none. Index: primary keys. Pinned: no sequential scan.
with page as materialized (
  select id
  from (
    (select id from punctual.jobs where id > $1::uuid and ($3::uuid is null or id = $3::uuid) order by id limit $2::integer)
    union
    (select job_id from punctual.cursors
     where job_id > $1::uuid and ($3::uuid is null or job_id = $3::uuid) order by job_id limit $2::integer)
  ) ids
  order by id
  limit $2::integer
)
select
  p.id, coalesce(c.timing, j.timing) as timing, c.version, floor(extract(epoch from j.created_at) * 1000)::bigint as created_ms,
  (extract(epoch from c.next_at) * 1000)::bigint as next_ms, (extract(epoch from c.cursor_at) * 1000)::bigint as cursor_ms,
  (extract(epoch from c.anchor_at) * 1000)::bigint as anchor_ms, (extract(epoch from c.end_at) * 1000)::bigint as end_ms,
  c.runs_left, c.paused, j.planning_error is not null as set_aside,
  floor(extract(epoch from statement_timestamp()) * 1000)::bigint as now_ms,
  exists (select from punctual.planners where expires_at > statement_timestamp()) as planning,
  not exists (
    select from punctual.planners where expires_at > statement_timestamp() and zone_data > $4::text) as zones_current
from page p
left join punctual.jobs j on j.id = p.id
left join punctual.cursors c on c.job_id = p.id
order by p.id
