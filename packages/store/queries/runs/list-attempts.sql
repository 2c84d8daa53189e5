-- The attempts of runs that were followed by another attempt.
--
-- Parameters: $1 run ids uuid[], $2 smallest id, $3 largest id (of $1, so that other partitions are
--   pruned)
-- Returns: run_id, attempt, outcome, started_at, ended_at, session_id, error; at most 2,000 of a run
-- Locks: none. Index: primary key of attempts, the partitions between.
select a.run_id, a.attempt, a.outcome, a.started_at, a.ended_at, a.session_id, a.error
from unnest($1::uuid[]) with ordinality as wanted(run_id, place)
cross join lateral (
  select *
  from punctual.attempts
  where run_id = wanted.run_id and run_id between $2::uuid and $3::uuid
  order by attempt
  limit 2000
) a
order by wanted.place, a.attempt
