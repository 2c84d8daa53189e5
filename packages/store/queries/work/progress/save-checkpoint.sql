-- Keeps how far a run has come, for its next attempt. The lease carries a mark from then on, and so does the run
-- wherever it goes.
--
-- Parameters: $1 run id, $2 fence, $3 state as JSON
-- Returns: run_id; no row when the run belongs to somebody else by now
-- Locks: the lease, then the checkpoint. Index: primary keys; the id prunes checkpoints to one day. Pinned: no
--   sequential scan.
with held as (
  update punctual.leases
  set traits = traits | :traits.checkpointed
  where run_id = $1::uuid and fence = $2::bigint
  returning run_id, tenant_id, attempt
)
insert into punctual.checkpoints (run_id, saved_at, tenant_id, attempt, state)
select run_id, clock_timestamp(), tenant_id, least(attempt + 1, :attempts.counted), $3::text
from held
on conflict (run_id) do update
set saved_at = excluded.saved_at, attempt = excluded.attempt, state = excluded.state
returning run_id
