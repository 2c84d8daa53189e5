-- Tables and partitions whose primary key is missing, or invalid because building it was
-- interrupted.
--
-- Parameters: $1 schema, $2 tables text[]
-- Returns: name; sorted
-- Types: name!
-- Locks: none. Index: none.
with recursive tables as (
  select c.oid, c.relname
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1::text and c.relname = any ($2::text[])
  union all
  select c.oid, c.relname
  from tables t
  join pg_inherits i on i.inhparent = t.oid and not i.inhdetachpending
  join pg_class c on c.oid = i.inhrelid
)
select t.relname as name
from tables t
where not exists (
  select from pg_index i
  where i.indrelid = t.oid and i.indisprimary and i.indisunique and i.indisvalid and i.indisready
)
order by t.relname
