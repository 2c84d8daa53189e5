-- Opens the session of a worker process. Repeating it after a lost reply changes nothing, even if
-- the session has ended since: its id is not used again.
--
-- Parameters: $1 id, $2 lease in ms, $3 pid, $4 capacity, $5 host, $6 version, $7 handlers text[],
--   $8 queues text[], $9 labels jsonb, $10 whether it drains, $11 the only tenant whose runs it may
--   claim (null = any), $12 most sessions of that tenant (null = any)
-- Returns: one row: is_left, whether the tenant may have the session
-- Types: is_left!
-- Locks: the new row; with $12 also the count (rows_of_tenant), until the transaction ends.
-- Index: primary keys, sessions_tenant.
with room as materialized (
  select
    $12::bigint is null
    or exists (select from punctual.sessions where id = $1::bigint)
    or punctual.rows_of_tenant($11::integer, 'sessions', $12::bigint) < $12::bigint as is_left
),
made as (
  insert into punctual.sessions (
    id, opened_at, renewed_at, expires_at, lease_ms, tenant_id, pid, capacity, state, host, version, handlers,
    queues, labels, drain_asked_at)
  select
    $1::bigint, clock_timestamp(), clock_timestamp(), clock_timestamp() + $2::integer * interval '1 millisecond', $2::integer,
    $11::integer, $3::integer, $4::integer, case when $10::boolean then 'draining' else 'active' end, $5::text, $6::text,
    $7::text[], $8::text[], $9::jsonb, case when $10::boolean then clock_timestamp() end
  from room
  where is_left and not exists (select from punctual.past_sessions where id = $1::bigint)
  on conflict (id) do nothing
)
select is_left from room
