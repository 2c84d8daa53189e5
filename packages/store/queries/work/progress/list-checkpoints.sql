-- What earlier attempts of runs have kept, in the order of the runs. The states end where their sum
-- would exceed a number of bytes, and those that follow are not loaded.
--
-- Parameters: $1 run ids uuid[], $2 most bytes of states
-- Returns: run_id, state (null when it does not fit; the first one always does)
-- Locks: none. Index: primary key of checkpoints, the days of the runs.
select run_id, case when total <= $2::bigint or place = 1 then state end as state
from (
  select
    run_id, state, sum(octet_length(state)) over (order by run_id) as total,
    row_number() over (order by run_id) as place
  from punctual.checkpoints
  where run_id = any ($1::uuid[])
) read
order by run_id
