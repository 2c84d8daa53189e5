-- How many jobs a tenant has, counted as far as is asked for.
--
-- Parameters: $1 tenant, $2 most
-- Returns: one row: how many
-- Locks: none. Index: jobs_name.
select count(*) from (select from punctual.jobs where tenant_id = $1::integer limit $2::bigint) j
