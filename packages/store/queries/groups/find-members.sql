-- Which of these runs are members of a group: an earlier try was committed. It writes to the log, as find-commit does and for
-- its reason.
--
-- Parameters: $1 group, $2 run ids uuid[]
-- Returns: run_id, where it was written
-- Locks: none. Index: group_members_run.
select m.run_id, (select pg_logical_emit_message(true, 'punctual', '')) as written_at
from punctual.group_members m
where m.run_id = any($2::uuid[]) and m.group_id::text = $1::uuid::text
