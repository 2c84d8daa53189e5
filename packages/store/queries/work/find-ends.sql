-- How leases of a session on some runs ended: settled by it, or taken from it by the reaper, which is `crashed`.
-- A run that the session left to its target has not ended: its lease names the session 0.
--
-- Parameters: $1 session, $2 run ids uuid[]
-- Returns: id of the run, fence, how the attempt ended (null when none was made), final state (null when another attempt
--   follows), whether it awaits its target
-- Types: id!, fence bigint!, outcome AttemptOutcome, state FinalState, awaits!
-- Locks: none. Index: primary keys; asked only for what the session does not hold any more.
select run_id as id, fence, attempt_outcome as outcome, state, false as awaits
from punctual.outcomes
where run_id = any ($2::uuid[]) and session_id = $1::bigint
union all
select run_id, fence, outcome, null, false
from punctual.attempts
where run_id = any ($2::uuid[]) and session_id = $1::bigint
union all
select run_id, fence, null, null, true
from punctual.leases
where run_id = any ($2::uuid[]) and session_id = 0
