-- Candidates for a filter on jobs, for filters that few jobs match: jobs with runs in some places,
-- jobs that are paused, jobs that will not fire again, or jobs whose next slot is in a range.
--
-- Parameters: $1 tenant, $2 kinds text[] (leases, queue, parked, later, paused, over, next),
--   $3 next slot from and $4 before in ms (null = any), $5 most rows of each kind
-- Returns: job_id without duplicates; may exceed $5
-- Locks: none. Index: primary keys of the places, which are small or limited; jobs_paused,
--   cursors_over, cursors_due of all shards.
select distinct job_id
from (
  (select job_id from punctual.leases
   where 'leases' = any ($2::text[]) and tenant_id = $1::integer and job_id is not null
   order by run_id
   limit $5::integer)
  union all
  (select job_id from punctual.queue
   where 'queue' = any ($2::text[]) and tenant_id = $1::integer and job_id is not null
   order by run_id
   limit $5::integer)
  union all
  (select job_id from punctual.parked
   where 'parked' = any ($2::text[]) and tenant_id = $1::integer and job_id is not null
   order by run_id
   limit $5::integer)
  union all
  (select id from punctual.jobs
   where 'paused' = any ($2::text[]) and tenant_id = $1::integer and paused_at is not null limit $5::integer)
  union all
  (select job_id from punctual.cursors
   where 'over' = any ($2::text[]) and tenant_id = $1::integer and next_at is null limit $5::integer)
  union all
  (select job_id from punctual.cursors
   where 'next' = any ($2::text[]) and tenant_id = $1::integer
     and shard = any (array(select generate_series(0, 255)::smallint)) and next_at is not null
     and next_at >= coalesce(to_timestamp($3::float8 / 1000), '-infinity')
     and next_at < coalesce(to_timestamp($4::float8 / 1000), 'infinity')
   limit $5::integer)
) found
