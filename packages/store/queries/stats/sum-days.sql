-- Ends of runs by day and state: from the day sums as far as they reach, then from the counters.
--
-- Parameters: $1 tenant, $2 from and $3 before in ms, both the start of a day in UTC
-- Returns: day, state, runs
-- Types: day!, state FinalState!, runs!
-- Locks: none. Index: primary key of lane_days, counters_bucket.
with summed as materialized (
  select through from punctual.day_sums where name = 'lanes'
)
select day, state, sum(runs)::bigint as runs
from (
  select to_char(day, 'YYYY-MM-DD') as day, state, runs
  from punctual.lane_days
  where tenant_id = $1::integer and day >= (to_timestamp($2::float8 / 1000) at time zone 'UTC')::date
    and day < (to_timestamp($3::float8 / 1000) at time zone 'UTC')::date
  union all
  select to_char(bucket_at at time zone 'UTC', 'YYYY-MM-DD'), state, runs
  from punctual.counters
  where tenant_id = $1::integer and bucket_at >= (select through from summed)
    and bucket_at >= to_timestamp($2::float8 / 1000) and bucket_at < to_timestamp($3::float8 / 1000)
) ends
group by day, state
order by day, state
