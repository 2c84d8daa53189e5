-- Moves runs that wait in `parked`, for another run of their job, to the lanes of another priority. In place: whoever
-- releases one at the same time waits, and takes it along.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 lanes integer[], $4 lane that takes the place of each integer[]
-- Returns: run_id of those changed
-- Locks: parked, then the runs. Index: primary keys; the ids prune runs to their days. Pinned: no
--   sequential scan.
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
