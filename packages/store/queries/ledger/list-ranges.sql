-- Ledger rows that cover several slots of some jobs, within a range in which slots seem undecided.
--
-- Parameters: $1 jobs uuid[], $2 first slot in ms, $3 last slot in ms
-- Returns: job_id, slot in ms, first slot in ms; sorted by slot
-- Types: slot_ms!, from_ms!
-- Locks: none. Index: primary key, from the first slot on. Pinned: no sequential scan.
select
  job_id, (extract(epoch from slot_at) * 1000)::bigint as slot_ms, (extract(epoch from from_at) * 1000)::bigint as from_ms
from punctual.slots
where slot_at >= to_timestamp($2::float8 / 1000) and from_at <= to_timestamp($3::float8 / 1000)
  and job_id = any ($1::uuid[])
order by slot_at
