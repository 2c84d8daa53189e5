-- Remembers outcomes that came too late.
--
-- Parameters: $1 session, $2 run ids uuid[], $3 fences bigint[]
-- Returns: nothing
-- Locks: the new rows. Index: primary keys; the tenant is read from the run, which is of any day.
insert into punctual.stale_settles (run_id, fence, session_id, tenant_id)
select i.run_id, i.fence, $1::bigint, r.tenant_id
from unnest($2::uuid[], $3::bigint[]) as i (run_id, fence)
cross join lateral (
  -- The limit keeps it a look-up by id: joined, the planner may scan every day instead.
  select tenant_id from punctual.runs where id = i.run_id limit 1
) r
on conflict do nothing
