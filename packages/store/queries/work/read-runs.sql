-- What claimed runs of one day are to do.
--
-- Parameters: $1 ids uuid[]
-- Returns: id, max_attempts, timeout_ms, due_ms, payload, retry, trace
-- Locks: none. Index: primary key of that day (of every day when the day has no partition of its own).
select
  r.id::text, r.max_attempts::text, r.timeout_ms::text,
  (date_part('epoch', r.due_at) * 1000)::text as due_ms, r.payload, r.retry, r.trace
from punctual.runs /* day 0 */ r
where r.id = any ($1::uuid[])
