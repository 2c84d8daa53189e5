-- Runs that were cancelled, skipped or lost at or after an instant, in order of their end, a page
-- at a time. Reads every partition, by index: a run of any day may end now.
--
-- Parameters: $1 tenant, $2 from in ms, $3 finished_at and $4 id of the last row of the
--   previous page (null = the first page), $5 most rows
-- Returns: xmin and xmax of the snapshot, the time of the statement in ms, id, at, state,
--   handler, queue, attempt, error, reason. When there is no run, one row that is null after the
--   time.
-- Types: xmin number!, xmax number!, now_ms!, id!, at text!, state FinalState!, handler!, queue!,
--   attempt!
-- Optional: end from id
-- Locks: none. Index: outcomes_failed of each partition.
select
  pg_snapshot_xmin(s.snapshot) as xmin, pg_snapshot_xmax(s.snapshot) as xmax,
  extract(epoch from statement_timestamp())::float8 * 1000 as now_ms,
  o.run_id as id, o.at, o.state, l.handler, l.queue, o.attempt, o.error, o.reason
from (select pg_current_snapshot() as snapshot) s
left join lateral (
  select run_id, finished_at as at, state, lane, attempt, error, reason
  from punctual.outcomes
  where tenant_id = $1::integer and finished_at >= to_timestamp($2::float8 / 1000) and state <> :states.succeeded
    and state <> :states.dead
    and ($4::uuid is null or (finished_at, run_id) > ($3::timestamptz, $4::uuid))
  order by finished_at, run_id
  limit $5::integer
) o on true
left join punctual.lanes l on l.id = o.lane
order by o.at, o.run_id
