-- The ledger in key order, a page at a time.
--
-- Parameters: $1 after this slot (timestamptz) and $2 this job, $3 until this slot in ms
--   (included), $4 most rows, $5 only this job or null
-- Returns: slot_at, job_id, slot in ms, first slot in ms or null, slots, decision, reason, run_id
-- Types: slot_at text, slot_ms!
-- Locks: none. Index: primary key, partition by partition. Pinned: no sequential scan.
select
  slot_at, job_id, floor(extract(epoch from slot_at) * 1000)::bigint as slot_ms,
  (extract(epoch from from_at) * 1000)::bigint as from_ms, slots, decision, reason, run_id
from punctual.slots
-- The first condition follows from the second; it lets PostgreSQL prune partitions.
where slot_at >= $1::timestamptz and (slot_at, job_id) > ($1::timestamptz, $2::uuid)
  and slot_at <= to_timestamp($3::float8 / 1000) and ($5::uuid is null or job_id = $5::uuid)
order by slot_at, job_id
limit $4::integer
