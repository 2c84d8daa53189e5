-- The members of a group that have these keys: an earlier submission, which has committed, returned
-- these runs instead of creating new ones. The last run of a key, if there are several. Writes to
-- the WAL, for the reason given in find-commit.
--
-- Parameters: $1 group, $2 tenant, $3 keys text[]
-- Returns: key, run_id, WAL position of the message
-- Types: key!
-- Locks: none. Index: runs_key, from the last run of a key on; group_members_run. Used only after a
--   reply was lost.
select k.key, m.run_id, (select pg_logical_emit_message(true, 'punctual', '')) as written_at
from unnest($3::text[]) as k (key)
cross join lateral (
  select r.id as run_id
  from punctual.runs r
  where r.tenant_id = $2::integer and r.key = k.key
    -- Compared as text, so that no statistics can make the planner scan the whole group for each
    -- run.
    and exists (
      select from punctual.group_members g where g.run_id = r.id and g.group_id::text = $1::uuid::text)
  order by r.id desc
  limit 1
) m
