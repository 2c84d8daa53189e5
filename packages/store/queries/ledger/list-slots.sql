-- What was decided for slots of a job.
--
-- Parameters: $1 job, $2 slots in ms bigint[]
-- Returns: slot_at, from_at, slots, decision, reason, run_id, decided_at, by slot
-- Locks: none. Index: primary keys, day by day of the slots given. Pinned: no sequential scan.
select slot_at, from_at, slots, decision, reason, run_id, decided_at
from punctual.slots
where job_id = $1::uuid
  and slot_at = any (array(select to_timestamp(ms::float8 / 1000) from unnest($2::bigint[]) as i (ms)))
order by slot_at
