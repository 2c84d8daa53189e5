-- Stores the callback run of a group, in the transaction that marked the group as done.
--
-- Parameters: $1 group, $2 run
-- Returns: nothing
-- Locks: the group, which the transaction holds. Index: primary key.
update punctual.groups set callback_run_id = $2::uuid where id = $1::uuid
