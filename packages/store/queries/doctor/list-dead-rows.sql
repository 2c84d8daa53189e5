-- Dead rows of the hot tables that vacuum has not removed yet.
--
-- Parameters: $1 schema, $2 names of tables text[]
-- Returns: name, live, dead, last_vacuum (manual or automatic)
-- Types: name!, live!, dead!, last_vacuum text
-- Locks: none. Index: none.
select
  relname as name, n_live_tup as live, n_dead_tup as dead,
  greatest(last_vacuum, last_autovacuum) as last_vacuum
from pg_stat_user_tables
where schemaname = $1::text and relname = any ($2::text[])
order by n_dead_tup desc
