-- Whether the tenant role exists, whether this role is a member of it, whether it is too powerful,
-- and whether every tenant table has its policy.
--
-- Parameters: $1 schema
-- Returns: one row: role, member, strong, how many tables with tenant rows lack their policy
-- Types: role!, member!, strong!, open!
-- Locks: none. Index: those of the system catalogs.
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
