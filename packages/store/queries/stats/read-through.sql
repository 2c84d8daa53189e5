-- The instant up to which the runs of jobs are counted, and whether the following hour ended at
-- least ten minutes ago.
--
-- Parameters: none
-- Returns: through in ms, whether the hour is over
-- Types: through!, is_past!
-- Locks: none. Index: primary key.
select
  (extract(epoch from through) * 1000)::bigint as through,
  through + interval '1 hour 10 minutes' <= clock_timestamp() as is_past
from punctual.day_sums
where name = 'jobs'
