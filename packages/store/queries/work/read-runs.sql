-- What claimed runs of one day are to do.
--
-- Parameters: $1 ids uuid[]
-- Returns: id, (timeout in ms << 16) | max_attempts, due_ms, payload, extra (as in claim-runs)
-- Locks: none. Index: primary key of that day (of every day when the day has no partition of its own).
select
  r.id, (r.timeout_ms::bigint << 16) | r.max_attempts as spec, (date_part('epoch', r.due_at) * 1000)::bigint as due_ms,
  r.payload,
  case
    when r.policy is null and r.trace is null and r.job_id is null then ''
    else concat(
      r.policy, e'\x1f', r.trace, e'\x1f', (date_part('epoch', r.slot_at) * 1000)::bigint, ',',
      (date_part('epoch', r.missed_from) * 1000)::bigint)
  end as extra
from punctual.runs /* day 0 */ r
where r.id = any ($1::uuid[])
