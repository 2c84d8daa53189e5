-- Finds the given runs that are already members of a group, because an earlier attempt to add them
-- has committed. Emits a WAL message, for the reason given in find-commit.
--
-- Parameters: $1 group, $2 run ids uuid[]
-- Returns: run_id, WAL position of the message
-- Locks: none. Index: group_members_run.
select m.run_id, (select pg_logical_emit_message(true, 'punctual', '')) as written_at
from punctual.group_members m
where m.run_id = any($2::uuid[]) and m.group_id::text = $1::uuid::text
