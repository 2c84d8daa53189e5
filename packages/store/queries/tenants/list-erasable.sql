-- Tables with tenant rows, each partition separately, and the number of blocks of each. Leaves out
-- tables that are erased at the end or in another way.
--
-- Parameters: none
-- Returns: the quoted table name, blocks; tables that feed the claim come first
-- Types: name!, blocks!
-- Locks: none. Index: those of the system catalogs.
select
  format('%I.%I', s.nspname, c.relname) as name,
  pg_relation_size(c.oid) / current_setting('block_size')::bigint + 1 as blocks
from pg_class c
join pg_namespace s on s.oid = c.relnamespace
where s.oid = (select relnamespace from pg_class where oid = 'punctual.tenants'::regclass)
  and c.relkind = 'r'
  and c.relname not in ('tenants', 'pauses', 'lanes', 'audit_log')
  and exists (
    select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
order by c.relname not in ('leases', 'queue', 'later', 'parked', 'cursors', 'jobs'), c.relname
