-- The runs that leave the queue, numbered by id, as their definitions are read: usually the two
-- lists then name the same runs.
--
-- Expects: `picked` with the places of the runs in the queue.
taken as (
  delete from punctual.queue where ctid = any (array(select place from picked))
  returning run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id
),
numbered as materialized (select row_number() over (order by run_id) as n, * from taken),
batch as materialized (
  select
    array_agg(run_id) as ids, string_agg(run_id::text, ',') as run_ids,
    string_agg(lane::text, ',') as lanes,
    bool_or(traits <> 0 or crashes <> 0 or attempt <> 0) as marked
  from numbered
),
