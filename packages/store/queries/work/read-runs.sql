-- What claimed runs of one day are to do.
--
-- Parameters: $1 ids uuid[]
-- Returns: id, max_attempts, timeout_ms, due_ms, payload, retry, trace, slot (as in claim-runs)
-- Locks: none. Index: primary key of that day (of every day when the day has no partition of its own).
select
  r.id, r.max_attempts, r.timeout_ms, (date_part('epoch', r.due_at) * 1000)::bigint as due_ms, r.payload, r.retry, r.trace,
  case
    when r.job_id is null then ''
    else concat(
      (date_part('epoch', r.slot_at) * 1000)::bigint, ',', (date_part('epoch', r.missed_from) * 1000)::bigint)
  end as slot
from punctual.runs /* day 0 */ r
where r.id = any ($1::uuid[])
