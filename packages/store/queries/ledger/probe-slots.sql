-- The decisions for slots of many jobs.
--
-- Parameters: $1 jobs uuid[], $2 slots in ms bigint[], one per job
-- Returns: for each slot that has a row: n, the position in the lists; first slot in ms or null,
--   run_id
-- Types: n!
-- Locks: none. Index: primary key, in the partitions of the slots. Pinned: no sequential scan.
select
  i.n, (extract(epoch from s.from_at) * 1000)::bigint as from_ms, s.run_id
from unnest($1::uuid[], $2::bigint[]) with ordinality as i (job_id, slot_ms, n)
cross join lateral (
  select from_at, run_id
  from punctual.slots
  where slot_at = to_timestamp(i.slot_ms::float8 / 1000) and job_id = i.job_id
  limit 1
) s
