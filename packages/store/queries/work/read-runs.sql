-- What claimed runs of one day are to do.
--
-- Parameters: $1 ids uuid[]
-- Returns: id, max_attempts, timeout_ms, due_ms, payload, retry, trace
-- Locks: none. Index: primary key of that day (of every day when the day has no partition of its own).
select
  r.id, r.max_attempts, r.timeout_ms, (date_part('epoch', r.due_at) * 1000)::bigint as due_ms, r.payload, r.retry, r.trace
from punctual.runs /* day 0 */ r
where r.id = any ($1::uuid[])
