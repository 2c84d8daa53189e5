-- Runs of a job that wait and have not started, wherever they wait, a stretch of its runs at a time. Those from before
-- the oldest run that waits anywhere are not looked at.
--
-- Parameters: $1 job, $2 after this id, $3 most runs to look at
-- Returns: one row: where to go on (null at the end), ids of those that wait, joined by commas (null when none does)
-- Locks: none. Index: runs_job; primary keys of the places. Pinned: no sequential scan.
with oldest as materialized (
  select least(
    (select run_id from punctual.later order by run_id limit 1),
    (select run_id from punctual.queue order by run_id limit 1),
    (select run_id from punctual.parked order by run_id limit 1)) as id
),
looked as materialized (
  select id
  from punctual.runs
  where job_id = $1::uuid and id > $2::uuid and id >= (select id from oldest)
  order by id
  limit $3::integer
),
waiting as (
  select l.id
  from looked l
  cross join lateral (
    select from punctual.later where run_id = l.id and attempt = 0
    union all
    select from punctual.queue where run_id = l.id and attempt = 0
    union all
    select from punctual.parked where run_id = l.id and attempt = 0
    limit 1
  ) place
)
select
  (select id from looked where (select count(*) from looked) = $3::integer order by id desc limit 1) as after,
  (select string_agg(id::text, ',') from waiting) as ids
