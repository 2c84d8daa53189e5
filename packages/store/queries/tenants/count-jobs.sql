-- The number of jobs of a tenant, up to a limit. One-time jobs whose slot has passed do not count.
--
-- Parameters: $1 tenant, $2 limit
-- Returns: one row: the count
-- Types: jobs!
-- Locks: none. Index: jobs_again, cursors_once_ahead.
select
  (select count(*) from (select from punctual.jobs where tenant_id = $1::integer and not once limit $2::bigint) j)
  + (select count(*)
     from (
       select
       from punctual.cursors
       where tenant_id = $1::integer and once and (next_at is not null or paused)
       limit $2::bigint
     ) c) as jobs
