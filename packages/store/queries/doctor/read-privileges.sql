-- The privileges of the current role in the schema.
--
-- Parameters: $1 schema
-- Returns: role, superuser, schema_exists, may_use, may_create, tables, unusable, unowned
-- Types: role!, superuser!, schema_exists!, may_use!, may_create!, tables!, unusable!, unowned!
-- Locks: none. Index: none.
select
  current_user as role,
  (select rolsuper from pg_roles where rolname = current_user) as superuser,
  to_regnamespace($1::text) is not null as schema_exists,
  coalesce(has_schema_privilege(to_regnamespace($1::text)::oid, 'usage'), false) as may_use,
  coalesce(has_schema_privilege(to_regnamespace($1::text)::oid, 'create'), false) as may_create,
  count(c.oid) as tables,
  count(c.oid) filter (
    where not has_table_privilege(c.oid, 'select')
      or not has_table_privilege(c.oid, 'insert')
      or not has_table_privilege(c.oid, 'update')
      or not has_table_privilege(c.oid, 'delete')
  ) as unusable,
  count(c.oid) filter (where not pg_has_role(c.relowner, 'usage')) as unowned
from (select to_regnamespace($1::text)::oid as oid) n
left join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'p')
