-- Gives runs that wait in `later` another time. Of those that no attempt has been made at it is the due time
-- from now on, and their lateness counts from it; after an attempt the due time stays that of the first one.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 new time in ms, $4 horizon in ms
-- Returns: run_id of those rescheduled
-- Locks: later, then the runs. Index: primary keys; the ids prune runs to their days. Pinned: no
--   sequential scan.
with now as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
),
taken as (
  delete from punctual.later
  where run_id = any ($1::uuid[]) and tenant_id = $2::integer
  returning run_id, tenant_id, lane, attempt, crashes, traits, job_id
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select run_id, greatest($3::bigint, now.ms) << 20, tenant_id, lane, attempt, crashes, traits, job_id
  from taken, now
  where $3::bigint <= now.ms + $4::bigint
),
postponed as (
  insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits, job_id)
  select run_id, to_timestamp($3::float8 / 1000), tenant_id, lane, attempt, crashes, traits, job_id
  from taken, now
  where $3::bigint > now.ms + $4::bigint
),
redated as (
  update punctual.runs r
  set due_at = to_timestamp($3::float8 / 1000)
  from taken t
  where r.id = t.run_id and r.id = any ($1::uuid[]) and t.attempt = 0
)
select run_id from taken
