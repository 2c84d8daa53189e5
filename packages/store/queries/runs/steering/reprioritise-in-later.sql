-- Moves runs that wait in `later` to the lanes of another priority.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 lanes integer[], $4 the replacement of each lane
--   integer[]
-- Returns: run_id of each changed run
-- Locks: later, then the runs. Index: primary keys; the ids prune runs to their partitions. Pinned:
--   no sequential scan.
with taken as (
  delete from punctual.later p
  using unnest($3::integer[], $4::integer[]) as m (lane, new_lane)
  where p.run_id = any ($1::uuid[]) and p.tenant_id = $2::integer and p.lane = m.lane
  returning p.run_id, p.due_at, p.tenant_id, m.new_lane as lane, p.attempt, p.crashes, p.traits, p.job_id
),
postponed as (
  insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits, job_id)
  select run_id, due_at, tenant_id, lane, attempt, crashes, traits, job_id
  from taken
),
relaned as (
  update punctual.runs r
  set lane = t.lane, edited_at = clock_timestamp()
  from taken t
  where r.id = t.run_id and r.id = any ($1::uuid[])
)
select run_id from taken
