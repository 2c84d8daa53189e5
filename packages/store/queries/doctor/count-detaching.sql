-- Partitions whose detaching has begun but not finished.
--
-- Parameters: $1 schema
-- Returns: detaching
-- Types: detaching!
-- Locks: none. Index: none.
select count(*) as detaching
from pg_inherits i
join pg_class p on p.oid = i.inhparent
join pg_namespace n on n.oid = p.relnamespace
where n.nspname = $1::text and i.inhdetachpending
