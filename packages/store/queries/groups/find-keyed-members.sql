-- The members of a group that have these keys: what an earlier try, which was committed, has found instead of making it. The
-- last of a key, should there be several. It writes to the log, as find-commit does and for its reason.
--
-- Parameters: $1 group, $2 tenant, $3 keys text[]
-- Returns: key, run_id, where it was written
-- Locks: none. Index: runs_key, from the last run of a key on; group_members_run. Asked only after a reply was lost.
select k.key, m.run_id, (select pg_logical_emit_message(true, 'punctual', '')) as written_at
from unnest($3::text[]) as k (key)
cross join lateral (
  select r.id as run_id
  from punctual.runs r
  where r.tenant_id = $2::integer and r.key = k.key
    -- Compared as texts, so that no statistics can make the planner walk the whole group for each of them.
    and exists (
      select from punctual.group_members g where g.run_id = r.id and g.group_id::text = $1::uuid::text)
  order by r.id desc
  limit 1
) m
