-- Keeps the calendars that decided slots from changing until the transaction ends. Leaves out
-- calendars that have changed or are being changed, and does not wait for them.
--
-- Parameters: $1 tenants integer[], $2 names text[], $3 versions as read integer[]
-- Returns: positions in the lists of the calendars that have not changed
-- Types: n!
-- Locks: calendars (for share, skip locked). Index: primary key. Pinned: no sequential scan.
select g.n
from unnest($1::integer[], $2::text[], $3::integer[]) with ordinality as g (tenant_id, name, version, n)
cross join lateral (
  select k.version
  from punctual.calendars k
  where k.tenant_id = g.tenant_id and k.name = g.name and k.version = g.version
  for share skip locked
) c
