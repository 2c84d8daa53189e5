-- Marks a group done whose members have all ended. Of several who do so at once one does; the transaction that did
-- submits the callback.
--
-- Parameters: $1 id
-- Returns: tenant_id, name, total, how many ended how, callback, callback_payload; no row when it is done, or not yet
-- Locks: the group. Index: groups_open.
update punctual.groups
set done_at = clock_timestamp()
where id = $1::uuid and done_at is null and closed_at is not null and passed = total
returning tenant_id, name, total, succeeded, dead, cancelled, skipped, unknown, callback::text as callback, callback_payload
