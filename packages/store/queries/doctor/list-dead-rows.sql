-- Rows that the hot tables no longer need and that vacuum has not yet removed.
--
-- Parameters: $1 schema, $2 names of tables text[]
-- Returns: name, live, dead, last_vacuum (of either kind)
-- Locks: none. Index: none.
select
  relname as name, n_live_tup as live, n_dead_tup as dead,
  greatest(last_vacuum, last_autovacuum) as last_vacuum
from pg_stat_user_tables
where schemaname = $1::text and relname = any ($2::text[])
order by n_dead_tup desc
