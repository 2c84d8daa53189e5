-- Remembers outcomes that came too late.
--
-- Parameters: $1 session, $2 run ids uuid[], $3 claims bigint[]
-- Returns: nothing
-- Locks: the new rows. Index: primary keys.
insert into punctual.stale_settles (run_id, claim, session_id, tenant_id)
select i.run_id, i.claim, $1::bigint, 1
from unnest($2::uuid[], $3::bigint[]) as i (run_id, claim)
on conflict do nothing
