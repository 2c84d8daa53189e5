-- Gives runs that wait in `parked`, for another run of their job, another payload. They are locked and stay: whoever
-- releases one waits, and it is claimed only after that. Only before their first attempt: later ones do again what it
-- began.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 payload
-- Returns: run_id of those changed
-- Locks: parked, then the runs. Index: primary keys; the ids prune runs to their days. Pinned: no
--   sequential scan.
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
