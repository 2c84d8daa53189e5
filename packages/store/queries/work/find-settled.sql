-- Under which fence attempts of runs were settled and how they ended: the outcome, and the attempts that were followed
-- by another. What the reaper or a successor ended carries the fence of the attempt as well, and ended as
-- crashed or terminated. It writes to the log, so that its commit waits for the synchronous standby: what is seen here may
-- not have got there yet, when a server dies.
--
-- Parameters: $1 run ids uuid[]
-- Returns: run_id, fence, how the attempt ended
-- Types: run_id!, fence text!, attempt_outcome AttemptOutcome
-- Locks: none. Index: primary keys; asked only after a lease was found gone or a reply was lost.
with logged as materialized (
  select pg_logical_emit_message(true, 'punctual', '') as at
)
select run_id, fence, attempt_outcome
from punctual.outcomes
-- A run that ended while it waited has no fence.
where run_id = any ($1::uuid[]) and fence is not null and (select at from logged) is not null
union all
select run_id, fence, outcome
from punctual.attempts
where run_id = any ($1::uuid[]) and (select at from logged) is not null
