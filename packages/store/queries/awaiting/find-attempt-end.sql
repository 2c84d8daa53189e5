-- How an attempt of a run ended.
--
-- Parameters: $1 run, $2 tenant, $3 number of the attempt
-- Returns: one row when the run exists: whether an attempt of this number has ended, how (null when
--   the run ended without it), and the final state of the run (null while it lives)
-- Types: ended!, outcome AttemptOutcome, state FinalState
-- Locks: none. Index: primary keys.
select
  a.run_id is not null or o.attempt = $3::smallint as ended,
  coalesce(case when o.attempt = $3::smallint then o.attempt_outcome end, a.outcome) as outcome,
  o.state
from punctual.runs r
left join punctual.outcomes o on o.run_id = r.id
left join punctual.attempts a on a.run_id = r.id and a.attempt = $3::smallint
where r.id = $1::uuid and r.tenant_id = $2::integer
