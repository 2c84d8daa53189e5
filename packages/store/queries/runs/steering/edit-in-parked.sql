-- Replaces the payload of runs that wait in `parked` behind another run of their job. They are
-- locked and stay in place: a transaction that releases one waits, so it is claimed only
-- afterwards. Only before their first attempt: later attempts repeat what the first one began.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 payload
-- Returns: run_id of each changed run
-- Locks: parked, then the runs. Index: primary keys; the ids prune runs to their partitions.
--   Pinned: no sequential scan.
with taken as (
  select run_id
  from punctual.parked
  where run_id = any ($1::uuid[]) and tenant_id = $2::integer and attempt = 0 and crashes = 0
  order by run_id
  for update
),
edited as (
  update punctual.runs r
  set payload = $3::text, edited_at = clock_timestamp()
  from taken t
  where r.id = t.run_id and r.id = any ($1::uuid[])
)
select run_id from taken
