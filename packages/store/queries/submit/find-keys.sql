-- The live runs that hold these keys. Whoever is answered with one of them is told that it is there: where there is a
-- synchronous standby this writes to the log, as find-commit does and for its reason.
--
-- Parameters: $1 tenant, $2 keys text[]
-- Returns: key, run_id, where it was written (null when it was not)
-- Locks: none. Index: primary key of live_keys.
select
  key, run_id,
  (select pg_logical_emit_message(true, 'punctual', '') where current_setting('synchronous_standby_names') <> '')
    as written_at
from punctual.live_keys
where tenant_id = $1::integer and key = any ($2::text[])
