-- Which of these runs are members of a group.
--
-- Parameters: $1 group, $2 run ids uuid[]
-- Returns: run_id
-- Locks: none. Index: group_members_run.
select m.run_id
from punctual.group_members m
where m.run_id = any($2::uuid[]) and m.group_id::text = $1::uuid::text
