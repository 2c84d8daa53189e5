-- Changes when runs that wait in `queue` start. Before the first attempt the new time becomes the
-- due time, from which lateness counts; after an attempt the due time of the first one stays.
-- Without a time they are due now: runs that are already due keep their position in the queue. A
-- run that is now due later than its rate booking gives the booking back, and books again when it
-- is due.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 new time in ms (null = now), $4 horizon in ms
-- Returns: run_id of each rescheduled run
-- Locks: queue, then gated, then the runs. Index: primary keys; the ids prune runs to their
--   partitions. Pinned: no sequential scan.
with clock as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
),
now as materialized (
  select ms, coalesce($3::bigint, ms) as due_ms from clock
),
taken as (
  delete from punctual.queue
  where run_id = any ($1::uuid[]) and tenant_id = $2::integer
    and ($3::bigint is not null or pos >> :pos.shift > (select ms from clock))
  returning run_id, tenant_id, lane, attempt, crashes, traits, job_id
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select run_id, greatest(now.due_ms, now.ms) << :pos.shift, tenant_id, lane, attempt, crashes, traits, job_id
  from taken, now
  where now.due_ms <= now.ms + $4::bigint
),
postponed as (
  insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits, job_id)
  select run_id, to_timestamp(now.due_ms::float8 / 1000), tenant_id, lane, attempt, crashes, traits, job_id
  from taken, now
  where now.due_ms > now.ms + $4::bigint
),
unbooked as (
  update punctual.gated g
  set booked_us = null
  from taken t, now
  where t.traits & :traits.gated <> 0 and g.run_id = t.run_id and g.booked_us < now.due_ms * 1000
),
redated as (
  update punctual.runs r
  set
    due_at = case when t.attempt = 0 then to_timestamp(now.due_ms::float8 / 1000) else r.due_at end,
    edited_at = clock_timestamp()
  from taken t, now
  where r.id = t.run_id and r.id = any ($1::uuid[])
)
select run_id from taken
