-- Standbys that follow this server now. Who is no member of pg_read_all_stats sees that they are there, not how
-- they follow.
--
-- Parameters: none
-- Returns: name, state, sync_state
-- Locks: none. Index: none.
select application_name as name, state, sync_state
from pg_stat_replication
where state is distinct from 'backup'
order by application_name, pid
limit 100
