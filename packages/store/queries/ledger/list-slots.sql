-- The decisions for slots of a job.
--
-- Parameters: $1 job, $2 slots in ms bigint[]
-- Returns: slot_at, from_at, slots, decision, reason, run_id, decided_at; sorted by slot
-- Locks: none. Index: primary keys, in the partitions of the slots. Pinned: no sequential scan.
select slot_at, from_at, slots, decision, reason, run_id, decided_at
from punctual.slots
where job_id = $1::uuid
  and slot_at = any (array(select to_timestamp(ms::float8 / 1000) from unnest($2::bigint[]) as i (ms)))
order by slot_at
