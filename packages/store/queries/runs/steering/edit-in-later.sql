-- Replaces the payload of runs that wait in `later`, only before their first attempt: later
-- attempts repeat what the first one began.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 payload
-- Returns: run_id of each changed run
-- Locks: later, then the runs. Index: primary keys; the ids prune runs to their partitions. Pinned:
--   no sequential scan.
with taken as (
  delete from punctual.later
  where run_id = any ($1::uuid[]) and tenant_id = $2::integer and attempt = 0 and crashes = 0
  returning run_id, due_at, tenant_id, lane, attempt, crashes, traits, job_id
),
postponed as (
  insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits, job_id)
  select run_id, due_at, tenant_id, lane, attempt, crashes, traits, job_id
  from taken
),
edited as (
  update punctual.runs r
  set payload = $3::text, edited_at = clock_timestamp()
  from taken t
  where r.id = t.run_id and r.id = any ($1::uuid[])
)
select run_id from taken
