-- Counts the ends of job runs that were due in one hour, and notes runs that have not ended yet.
-- Only the transaction that advances the hour writes. Per tenant, the jobs with the most runs are
-- counted individually, up to a limit; the others are counted together.
--
-- Parameters: $1 the hour in ms, $2 its first id, $3 the first id after it, $4 most jobs of a
--   tenant
-- Returns: one row: the number of rows written
-- Types: rows!
-- Locks: the row of day_sums, the new rows. Index: primary keys of one partition. Planned for the
--   hour that is read.
with turn as materialized (
  update punctual.day_sums
  set through = through + interval '1 hour'
  where name = 'jobs' and through = to_timestamp($1::float8 / 1000)
  returning through
),
of_jobs as materialized (
  select r.id, r.tenant_id, r.job_id, o.state
  from punctual.runs r
  left join punctual.outcomes o on o.run_id = r.id and o.run_id >= $2::uuid and o.run_id < $3::uuid
  where exists (select from turn) and r.id >= $2::uuid and r.id < $3::uuid and r.job_id is not null
),
ranked as (
  select tenant_id, job_id, row_number() over (partition by tenant_id order by count(*) desc, job_id) as place
  from of_jobs
  group by tenant_id, job_id
),
late as (
  insert into punctual.job_days_late (run_id, job_id, tenant_id)
  select id, job_id, tenant_id from of_jobs where state is null
  on conflict do nothing
),
made as (
  insert into punctual.job_days (day, tenant_id, job_id, state, runs)
  select
    (to_timestamp($1::float8 / 1000) at time zone 'UTC')::date, j.tenant_id,
    case when k.place <= $4::integer then j.job_id else '00000000-0000-0000-0000-000000000000' end, j.state, count(*)
  from of_jobs j
  join ranked k using (tenant_id, job_id)
  where j.state is not null
  group by 2, 3, 4
  order by 2, 3, 4
  on conflict (tenant_id, day, job_id, state) do update set runs = job_days.runs + excluded.runs
  returning 1
)
select count(*) as rows from made
