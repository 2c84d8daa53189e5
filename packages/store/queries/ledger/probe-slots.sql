-- What was decided for slots of many jobs.
--
-- Parameters: $1 jobs uuid[], $2 slots in ms bigint[], one for each of the jobs
-- Returns: n, the place in the lists of each that has a row; first slot in ms or null, run_id
-- Locks: none. Index: primary key, day by day of the slots given. Pinned: no sequential scan.
select
  i.n, (extract(epoch from s.from_at) * 1000)::bigint as from_ms, s.run_id
from unnest($1::uuid[], $2::bigint[]) with ordinality as i (job_id, slot_ms, n)
cross join lateral (
  select from_at, run_id
  from punctual.slots
  where slot_at = to_timestamp(i.slot_ms::float8 / 1000) and job_id = i.job_id
  limit 1
) s
