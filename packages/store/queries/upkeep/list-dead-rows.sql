-- Tables with many dead rows that a vacuum may remove. While a transaction is open that began before
-- the last vacuum of a table, another vacuum would read the table and remove nothing.
--
-- Parameters: $1 schema, $2 tables text[], $3 rows
-- Returns: relname
-- Types: relname!
-- Locks: none. Index: none: it reads statistics. Transactions of roles whose activity this role may
--   not see are not considered.
select relname
from pg_stat_user_tables t
where schemaname = $1::text and relname = any ($2::text[]) and n_dead_tup > $3::bigint
  and not exists (
    select from pg_stat_activity a
    where a.datname = current_database() and a.backend_xmin is not null
      and a.xact_start < greatest(t.last_vacuum, t.last_autovacuum))
