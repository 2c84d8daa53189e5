-- Keeps calendars that slots were decided by as they are until the transaction ends. One that has changed, or that
-- somebody is changing, is left out: it is not waited for.
--
-- Parameters: $1 tenants integer[], $2 names text[], $3 versions as read integer[]
-- Returns: the places in the lists of those that are as they were read
-- Locks: calendars (for share, skip locked). Index: primary key. Pinned: no sequential scan.
select g.n
from unnest($1::integer[], $2::text[], $3::integer[]) with ordinality as g (tenant_id, name, version, n)
cross join lateral (
  select k.version
  from punctual.calendars k
  where k.tenant_id = g.tenant_id and k.name = g.name and k.version = g.version
  for share skip locked
) c
