-- An open session, even if its lease has expired.
--
-- Parameters: $1 session
-- Returns: id, tenant_id (null = any), handlers and queues as JSON, lease_ms, whether it was asked
--   to drain, for how many ms it has been open
-- Types: handlers Texts!, queues Texts!, drains!, open_ms!
-- Locks: none. Index: primary key.
select
  id, tenant_id, to_json(handlers) as handlers, to_json(queues) as queues, lease_ms, drain_asked_at is not null as drains,
  floor(extract(epoch from clock_timestamp() - opened_at) * 1000)::bigint as open_ms
from punctual.sessions
where id = $1::bigint
