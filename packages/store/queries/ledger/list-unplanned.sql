-- Runs of jobs that wait in the queue without a row in the ledger, although they were neither
-- triggered nor made by a backfill. Leaves out slots older than a day: their partition of the
-- ledger may have been dropped.
--
-- Parameters: $1 after this run, $2 most runs to read
-- Returns: one row: the last run read, how many were read, and arrays of jobs and runs (null when
--   there is none)
-- Types: looked!
-- Locks: none. Index: primary keys. Pinned: no sequential scan.
with page as materialized (
  select run_id, job_id
  from punctual.queue
  where run_id > $1::uuid
  order by run_id
  limit $2::integer
),
unplanned as materialized (
  select p.run_id, p.job_id
  from page p
  cross join lateral (select slot_at from punctual.runs where id = p.run_id limit 1) r
  where p.job_id is not null and (r.slot_at is null or r.slot_at > statement_timestamp() - interval '1 day')
    and not exists (
      select from punctual.slots s where s.slot_at = r.slot_at and s.job_id = p.job_id and s.run_id = p.run_id)
    and not exists (select from punctual.triggers t where t.job_id = p.job_id and t.run_id = p.run_id)
    and not exists (
      select from punctual.backfills b where b.job_id = p.job_id and b.slot_at = r.slot_at and b.run_id = p.run_id)
)
select
  (select run_id from page order by run_id desc limit 1) as last_id, (select count(*) from page) as looked,
  (select array_agg(job_id) from unplanned) as job_ids, (select array_agg(run_id) from unplanned) as run_ids
