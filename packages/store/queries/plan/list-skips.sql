-- Slots of some jobs that a user asked to skip.
--
-- Parameters: $1 job ids uuid[]
-- Returns: job_id, slot in ms
-- Types: slot_ms!
-- Locks: none. Index: primary key of slot_skips. Pinned: no sequential scan.
select job_id, (extract(epoch from slot_at) * 1000)::bigint as slot_ms
from punctual.slot_skips
where job_id = any ($1::uuid[])
