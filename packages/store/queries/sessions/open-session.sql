-- Opens the session of a worker process. Repeating it after a lost reply changes nothing, even if
-- the session has ended since: its id is not used again.
--
-- Parameters: $1 id, $2 lease in ms, $3 pid, $4 capacity, $5 host, $6 version, $7 handlers text[],
--   $8 queues text[], $9 labels jsonb, $10 whether it drains, $11 the only tenant whose runs it may
--   claim (null = any)
-- Returns: nothing
-- Locks: the new row. Index: primary keys.
insert into punctual.sessions (
  id, opened_at, renewed_at, expires_at, lease_ms, tenant_id, pid, capacity, state, host, version, handlers,
  queues, labels, drain_asked_at)
select
  $1::bigint, clock_timestamp(), clock_timestamp(), clock_timestamp() + $2::integer * interval '1 millisecond', $2::integer,
  $11::integer, $3::integer, $4::integer, case when $10::boolean then 'draining' else 'active' end, $5::text, $6::text,
  $7::text[], $8::text[], $9::jsonb, case when $10::boolean then clock_timestamp() end
where not exists (select from punctual.past_sessions where id = $1::bigint)
on conflict (id) do nothing
