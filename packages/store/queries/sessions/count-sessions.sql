-- The number of sessions of a tenant, other than one, up to a limit.
--
-- Parameters: $1 tenant, $2 session that does not count, $3 limit
-- Returns: one row: the count
-- Types: sessions!
-- Locks: none. Index: sessions_tenant.
select count(*) as sessions
from (
  select
  from punctual.sessions
  where tenant_id = $1::integer and id <> $2::bigint
  limit $3::bigint
) s
