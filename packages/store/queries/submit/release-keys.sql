-- Gives back keys that were taken for runs which are not inserted after all.
--
-- Parameters: $1 run ids uuid[]
-- Returns: nothing
-- Locks: own rows of live_keys. Index: live_keys_run_id_key.
delete from punctual.live_keys where run_id = any ($1::uuid[])
