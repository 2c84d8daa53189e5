-- Runs of a job that wait and have not started, in any place, one range of its runs at a time. Runs
-- older than the oldest waiting run are not read.
--
-- Parameters: $1 job, $2 after this id, $3 most runs to read
-- Returns: one row: the id to continue after (null at the end), ids of the waiting runs, joined by
--   commas (null when there is none)
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
