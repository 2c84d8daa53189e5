-- Tables that hold rows of tenants, each day of history by itself, and how many blocks each has. What is kept to the end
-- of an erasure, or has a way of its own, is left out.
--
-- Parameters: none
-- Returns: the table as it is written in SQL, blocks; those that runs are claimed from first
-- Locks: none. Index: of the catalogue.
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
