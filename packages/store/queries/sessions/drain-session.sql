-- Asks a worker to stop claiming, or to claim again.
--
-- Parameters: $1 session, $2 true to drain, $3 the tenant that the worker must serve exclusively
--   (null = any worker)
-- Returns: id, and whether this statement changed anything; no row when the session does not exist
-- Types: changed!
-- Locks: the row (not its key: a claim in progress continues, and its runs are given back). Index:
--   primary key.
with before as materialized (
  select id, drain_asked_at is not null as drains
  from punctual.sessions
  where id = $1::bigint and ($3::integer is null or tenant_id = $3::integer)
  for no key update
),
asked as (
  update punctual.sessions s
  set drain_asked_at = case when $2::boolean then clock_timestamp() end
  from before b
  where s.id = b.id and b.drains <> $2::boolean
)
select id, drains <> $2::boolean as changed from before
