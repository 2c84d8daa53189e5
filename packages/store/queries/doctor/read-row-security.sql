-- Whether the role of tenants is there, can be taken, is as weak as it should be, and meets a policy everywhere.
--
-- Parameters: $1 schema
-- Returns: one row: role, member, strong, how many tables with rows of tenants lack their policy
-- Locks: none. Index: those of the catalogue.
select
  to_regrole(punctual.tenant_role()) is not null as role,
  punctual.may_be_tenant() as member,
  exists (
    select from pg_roles
    where rolname = punctual.tenant_role() and (rolsuper or rolbypassrls or rolcanlogin or rolcreaterole)
  ) as strong,
  (
    select count(*)
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p')
      and not (c.relrowsecurity and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant_isolation'))
  ) as open
