-- How leases of a session on some runs ended: settled by it, or taken from it by the reaper, which is `crashed`.
--
-- Parameters: $1 session, $2 run ids uuid[]
-- Returns: id of the run, fence, how the attempt ended (null when none was made), final state (null when another attempt
--   follows)
-- Types: id!, fence bigint!, outcome AttemptOutcome, state FinalState
-- Locks: none. Index: primary keys; asked only for what the session does not hold any more.
select run_id as id, fence, attempt_outcome as outcome, state
from punctual.outcomes
where run_id = any ($2::uuid[]) and session_id = $1::bigint
union all
select run_id, fence, outcome, null
from punctual.attempts
where run_id = any ($2::uuid[]) and session_id = $1::bigint
