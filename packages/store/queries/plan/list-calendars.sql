-- Named calendars of some tenants. A calendar that the caller has read before, in the version that
-- is current, comes without its content. The instant of the change tells a calendar that was
-- deleted and created again from its predecessor, which had the same version.
--
-- Parameters: $1 tenants integer[], $2 names text[], $3 versions as read integer[], and $4 when
--   these were made in microseconds bigint[] (0 = not read)
-- Returns: tenant, name, version, made_us, spec (null when it is unchanged)
-- Types: made_us!
-- Locks: none. Index: primary key. Pinned: no sequential scan.
select
  k.tenant_id, k.name, k.version, k.made_us,
  case when k.version <> g.version or k.made_us <> g.made_us then k.spec end as spec
from unnest($1::integer[], $2::text[], $3::integer[], $4::bigint[]) as g (tenant_id, name, version, made_us)
cross join lateral (
  select c.tenant_id, c.name, c.version, c.spec, (extract(epoch from c.updated_at) * 1000000)::bigint as made_us
  from punctual.calendars c
  where c.tenant_id = g.tenant_id and c.name = g.name
  limit 1
) k
