-- Tables with many dead rows.
--
-- Parameters: $1 schema, $2 tables text[], $3 rows
-- Returns: relname
-- Locks: none. Index: none: it reads statistics.
select relname
from pg_stat_user_tables
where schemaname = $1::text and relname = any ($2::text[]) and n_dead_tup > $3::bigint
