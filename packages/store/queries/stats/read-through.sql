-- Up to where the runs of jobs are counted, and whether the next hour is past by ten minutes.
--
-- Parameters: none
-- Returns: through in ms, whether it is past
-- Locks: none. Index: primary key.
select
  (extract(epoch from through) * 1000)::bigint as through,
  through + interval '1 hour 10 minutes' <= clock_timestamp() as is_past
from punctual.day_sums
where name = 'jobs'
