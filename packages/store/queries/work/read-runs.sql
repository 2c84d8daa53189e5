-- What claimed runs are to do, wherever their day is.
--
-- Parameters: $1 ids uuid[]
-- Returns: id, max_attempts, timeout_ms, due_ms, payload, retry, trace
-- Locks: none. Index: primary key of every partition; called for old runs only.
select
  id, max_attempts, timeout_ms, extract(epoch from due_at)::float8 * 1000 as due_ms, payload, retry, trace
from punctual.runs
where id = any ($1::uuid[])
