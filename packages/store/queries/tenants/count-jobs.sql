-- How many jobs a tenant has, counted as far as is asked for. One that runs once and has had its time does not count.
--
-- Parameters: $1 tenant, $2 most
-- Returns: one row: how many
-- Locks: none. Index: jobs_again, cursors_once_ahead.
select
  (select count(*) from (select from punctual.jobs where tenant_id = $1::integer and not once limit $2::bigint) j)
  + (select count(*)
     from (
       select
       from punctual.cursors
       where tenant_id = $1::integer and once and (next_at is not null or paused)
       limit $2::bigint
     ) c)
