-- Whether the tenant role exists, whether this role is a member of it, whether it is too powerful,
-- whether every table with rows of tenants has its policy, and whether row security is required.
--
-- Parameters: $1 schema
-- Returns: one row: role; member; login, whether the user that logged in may read the tables
--   without the role, which every policy requires; strong; open and closed, the number of tables
--   with rows of tenants that lack their policy, and whose rows the role may or may not read;
--   required
-- Types: role!, member!, login!, strong!, open!, closed!, required!
-- Locks: none. Index: those of the system catalogs.
with bare as (
  select
    to_regrole(punctual.tenant_role()) is not null
      and has_any_column_privilege(
        to_regrole(punctual.tenant_role())::oid, c.oid, 'select, insert, update, references') as readable
  from pg_class c
  where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p')
    and (punctual.row_security_of(c.oid::regclass)).rights is not null
    and not (
      c.relrowsecurity
      and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant_isolation'))
)
select
  to_regrole(punctual.tenant_role()) is not null as role,
  punctual.may_be_tenant() as member,
  has_table_privilege(session_user, 'punctual.migrations'::regclass, 'select') as login,
  punctual.tenant_role_is_strong() as strong,
  (select count(*) from bare where readable) as open,
  (select count(*) from bare where not readable) as closed,
  exists (select from punctual.row_security) as required
