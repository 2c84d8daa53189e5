-- Slots of a job that followed from the ends of its runs, so that no rule can compute them.
--
-- Parameters: $1 job, $2 from in ms, $3 until in ms, $4 most rows
-- Returns: slot in ms, oldest first
-- Types: slot_ms!
-- Locks: none. Index: slots_not_computed, partition by partition. Pinned: no sequential scan.
select (extract(epoch from slot_at) * 1000)::bigint as slot_ms
from punctual.slots
where job_id = $1::uuid and not computed
  and slot_at >= to_timestamp($2::float8 / 1000) and slot_at <= to_timestamp($3::float8 / 1000)
order by slot_at
limit $4::integer
