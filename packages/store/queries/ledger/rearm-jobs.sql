-- Re-arms jobs that wait for the end of a run that is in no place any more, as the end of the run
-- should have done. The run is that of the slot decided last.
--
-- Parameters: $1 jobs uuid[] (sorted), $2 versions integer[], $3 cursors as read in ms bigint[]
-- Returns: job_id of each re-armed job
-- Locks: cursors of these jobs (skip locked). Index: primary keys. Pinned: no sequential scan.
with idle as materialized (
  select c.job_id
  from unnest($1::uuid[], $2::integer[], $3::bigint[]) as g (job_id, version, cursor_ms)
  cross join lateral (
    select c.job_id
    from punctual.cursors c
    where c.job_id = g.job_id and c.version = g.version and c.next_at is null and not c.paused
      and (c.runs_left is null or c.runs_left > 0) and (c.end_at is null or c.end_at > statement_timestamp())
      -- A cursor that has moved since it was read has another run, which this snapshot may not see.
      and (extract(epoch from c.cursor_at) * 1000)::bigint = g.cursor_ms
      and not exists (
        select
        from punctual.slots s
        where s.slot_at = to_timestamp(g.cursor_ms::float8 / 1000) and s.job_id = g.job_id
          and (
            exists (select from punctual.queue where run_id = s.run_id)
            or exists (select from punctual.later where run_id = s.run_id)
            or exists (select from punctual.parked where run_id = s.run_id)
            or exists (select from punctual.leases where run_id = s.run_id)))
    for update of c skip locked
  ) c
)
update punctual.cursors
set
  anchor_at = date_trunc('milliseconds', statement_timestamp()),
  next_at = date_trunc('milliseconds', statement_timestamp())
where job_id = any (array(select job_id from idle))
returning job_id
