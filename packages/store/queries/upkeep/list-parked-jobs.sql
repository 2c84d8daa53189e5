-- A page of runs that have been parked behind another run of their job for some time: the process
-- that should have released them may have died. Runs that stay parked, because their job lets all
-- of them wait, must not hide the runs after them.
--
-- Parameters: $1 how long in ms, $2 after this run, $3 most runs
-- Returns: one row: run_ids of the page (null when there is none), which may be the last page when
--   they are fewer than $3
-- Locks: none. Index: primary key. Pinned: no sequential scan.
select array_agg(run_id) as run_ids
from (
  select run_id
  from punctual.parked
  where gate is null and run_id > $2::uuid
    and parked_at < clock_timestamp() - $1::bigint * interval '1 millisecond'
  order by run_id
  limit $3::integer
) p
