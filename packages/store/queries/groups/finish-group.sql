-- Marks a group as done when all of its members have ended. If several transactions try at the same
-- time, one succeeds, and that transaction submits the callback.
--
-- Parameters: $1 id
-- Returns: tenant_id, name, total, members per final state, callback, callback_payload; no row
--   when the group is already done, or not yet
-- Types: callback CallbackCall
-- Locks: the group. Index: groups_open.
update punctual.groups
set done_at = clock_timestamp()
where id = $1::uuid and done_at is null and closed_at is not null and passed = total
returning tenant_id, name, total, succeeded, dead, cancelled, skipped, unknown, callback, callback_payload
