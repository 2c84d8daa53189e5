-- Releases keys that were taken for runs which were not inserted after all.
--
-- Parameters: $1 run ids uuid[]
-- Returns: nothing
-- Locks: the deleted rows of live_keys. Index: live_keys_run_id_key.
delete from punctual.live_keys where run_id = any ($1::uuid[])
