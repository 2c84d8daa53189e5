-- The workers that are alive, oldest first.
--
-- Parameters: none
-- Returns: id, host, pid, version, state, capacity, handlers and queues as JSON, labels, opened_at, renewed_at,
--   stuck, drain_asked_at, alive
-- Locks: none. Index: none; the table is small.
select
  id, host, pid, version, state, capacity, to_json(handlers) as handlers, to_json(queues) as queues, labels,
  opened_at, renewed_at, stuck, drain_asked_at,
  expires_at > clock_timestamp() as alive
from punctual.sessions
order by opened_at
limit 10000
