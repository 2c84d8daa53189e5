-- Changes the priority of runs in `parked`, which wait for another run of their job: moves them to
-- the lanes of the new priority. Updates the rows in place: a concurrent transaction that releases
-- such a run waits, and then releases it with its new lane.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 lanes integer[], $4 the replacement of each lane
--   integer[]
-- Returns: run_id of each changed run
-- Locks: parked, then the runs. Index: primary keys; the ids prune runs to their partitions.
--   Pinned: no sequential scan.
with taken as (
  update punctual.parked p
  set lane = m.new_lane
  from unnest($3::integer[], $4::integer[]) as m (lane, new_lane)
  where p.run_id = any ($1::uuid[]) and p.tenant_id = $2::integer and p.lane = m.lane
  returning p.run_id, p.lane
),
relaned as (
  update punctual.runs r
  set lane = t.lane, edited_at = clock_timestamp()
  from taken t
  where r.id = t.run_id and r.id = any ($1::uuid[])
)
select run_id from taken
