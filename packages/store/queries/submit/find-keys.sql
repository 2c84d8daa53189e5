-- The live runs that hold these keys. The caller returns these runs, so with a synchronous standby
-- this statement writes to the WAL, for the reason given in find-commit.
--
-- Parameters: $1 tenant, $2 keys text[]
-- Returns: key, run_id, WAL position of the message (null when none was written)
-- Locks: none. Index: primary key of live_keys.
select
  key, run_id,
  (select pg_logical_emit_message(true, 'punctual', '') where current_setting('synchronous_standby_names') <> '')
    as written_at
from punctual.live_keys
where tenant_id = $1::integer and key = any ($2::text[])
