-- Under which claim runs were last settled: the outcome, or the last attempt that was followed by another.
--
-- Parameters: $1 run ids uuid[]
-- Returns: run_id, claim
-- Locks: none. Index: primary keys; asked only after a reply was lost.
select run_id, claim from punctual.outcomes where run_id = any ($1::uuid[])
union all
select run_id, claim from punctual.attempts where run_id = any ($1::uuid[])
