-- What claimed runs of one day are to do.
--
-- Parameters: $1 ids uuid[]
-- Returns: id, timeout_ms, max_attempts, due_ms, payload, extra (parts/run-extra)
-- Types: due_ms!
-- Locks: none. Index: primary key of that day (of every day when the day has no partition of its
--   own).
select
  r.id, r.timeout_ms, r.max_attempts, (date_part('epoch', r.due_at) * 1000)::bigint as due_ms, r.payload,
  -- include: run-extra
  as extra
from punctual.runs /* day 0 */ r
where r.id = any ($1::uuid[])
