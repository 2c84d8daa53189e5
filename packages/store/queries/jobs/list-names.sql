-- The names of jobs.
--
-- Parameters: $1 tenant, $2 ids uuid[]
-- Returns: id, name
-- Locks: none. Index: primary key.
select id, name from punctual.jobs where tenant_id = $1::integer and id = any ($2::uuid[])
