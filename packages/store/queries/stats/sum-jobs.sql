-- Ends of the runs of jobs by state, for runs that were due on some days; jobs with the most runs
-- first.
--
-- Parameters: $1 tenant, $2 from and $3 before in ms, both the start of a day in UTC, $4 most jobs
-- Returns: through in ms, then job_id, name, state, runs; when there is no run, one row that is
--   null after through
-- Types: through!, job_id!, state FinalState!, runs!
-- Optional: ends from job_id
-- Locks: none. Index: primary keys.
with summed as materialized (
  select job_id, state, sum(runs)::bigint as runs, sum(sum(runs)) over (partition by job_id) as total
  from punctual.job_days
  where tenant_id = $1::integer and day >= (to_timestamp($2::float8 / 1000) at time zone 'UTC')::date
    and day < (to_timestamp($3::float8 / 1000) at time zone 'UTC')::date
  group by job_id, state
),
most as materialized (
  select job_id, total from summed group by job_id, total order by total desc, job_id limit $4::integer
)
select
  (extract(epoch from d.through) * 1000)::bigint as through, s.job_id,
  (select j.name from punctual.jobs j where j.id = s.job_id) as name, s.state, s.runs
from punctual.day_sums d
left join (summed s join most m using (job_id)) on true
where d.name = 'jobs'
order by m.total desc, s.job_id, s.state
