-- Standbys that are connected to this server. A role that is not a member of pg_read_all_stats sees
-- that they exist, but not their state.
--
-- Parameters: none
-- Returns: name, state, sync_state
-- Locks: none. Index: none.
select application_name as name, state, sync_state
from pg_stat_replication
where state is distinct from 'backup'
order by application_name, pid
limit 100
