-- The workers that ended within the last day, latest first.
--
-- Parameters: $1 id (null = all)
-- Returns: id, host, pid, version, capacity, handlers and queues as JSON, labels, opened_at,
--   ended_at, fenced
-- Types: handlers Texts!, queues Texts!
-- Locks: none. Index: past_sessions_ended.
select
  id, host, pid, version, capacity, to_json(handlers) as handlers, to_json(queues) as queues, labels, opened_at,
  ended_at, fenced
from punctual.past_sessions
where ended_at > clock_timestamp() - interval '1 day' and ($1::bigint is null or id = $1::bigint)
order by ended_at desc
limit 1000
