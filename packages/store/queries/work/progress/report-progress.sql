-- Keeps the latest progress of running attempts.
--
-- Parameters: $1 run ids uuid[], $2 claims bigint[], $3 progress as JSON text[]
-- Returns: nothing
-- Locks: leases. Index: primary key. Pinned: nested loops.
update punctual.leases l
set progress = i.progress
from unnest($1::uuid[], $2::bigint[], $3::text[]) as i (run_id, claim, progress)
where l.run_id = i.run_id and l.claim = i.claim
