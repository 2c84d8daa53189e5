-- Counts job runs that have ended since their hour was counted.
--
-- Parameters: none
-- Returns: one row: the number of runs
-- Types: rows!
-- Locks: the noted rows, the counts. Index: primary keys; each id leads to its partition.
with ended as materialized (
  select l.run_id, o.state
  from punctual.job_days_late l
  cross join lateral (select state from punctual.outcomes where run_id = l.run_id limit 1) o
  limit 10000
),
gone as materialized (
  delete from punctual.job_days_late
  where run_id = any (array(select run_id from ended))
  returning run_id, job_id, tenant_id
),
made as (
  insert into punctual.job_days (day, tenant_id, job_id, state, runs)
  select
    (to_timestamp(('x' || left(replace(g.run_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) at time zone 'UTC')::date,
    g.tenant_id, g.job_id, e.state, count(*)
  from gone g
  join ended e using (run_id)
  group by 1, 2, 3, 4
  order by 2, 1, 3, 4
  on conflict (tenant_id, day, job_id, state) do update set runs = job_days.runs + excluded.runs
)
select count(*) as rows from gone
