-- The connected workers, oldest first.
--
-- Parameters: none
-- Returns: id, host, pid, version, state, capacity, handlers and queues as JSON, labels, opened_at,
--   renewed_at, stuck, drain_asked_at, alive, how many runs it holds, the tenant that it serves
--   (null = all)
-- Types: handlers Texts!, queues Texts!, alive!, held!
-- Locks: none. Index: none; the tables are small.
with held as materialized (
  select session_id, count(*)::integer as runs from punctual.leases group by session_id
)
select
  s.id, s.host, s.pid, s.version, s.state, s.capacity, to_json(s.handlers) as handlers, to_json(s.queues) as queues,
  s.labels, s.opened_at, s.renewed_at, s.stuck, s.drain_asked_at, s.expires_at > clock_timestamp() as alive,
  coalesce(h.runs, 0) as held, s.tenant_id
from punctual.sessions s
left join held h on h.session_id = s.id
where s.id <> 0
order by s.opened_at
limit 10000
