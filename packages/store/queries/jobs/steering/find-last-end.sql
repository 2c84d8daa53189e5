-- The end of the last run of a job whose slots depend on the ends of its runs.
--
-- Parameters: $1 job
-- Returns: one row: the end in ms; no row when it has had no run, or the last one has not ended
-- Locks: none. Index: slots_not_computed, partition by partition from the newest; primary key of
--   outcomes. Pinned: no sequential scan.
select (extract(epoch from date_trunc('milliseconds', o.finished_at)) * 1000)::bigint as end_ms
from (
  select run_id
  from punctual.slots
  where job_id = $1::uuid and not computed and run_id is not null
  order by slot_at desc
  limit 1
) last
join punctual.outcomes o on o.run_id = last.run_id
