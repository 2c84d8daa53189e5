-- Takes runs that were never tried out of `later`, for replace-runs to put them where they belong from now on, in the same
-- transaction. A claim that is faster keeps them.
--
-- Parameters: $1 run ids uuid[], $2 tenant
-- Returns: run_id of those taken, and the gate that each had been let through, which is free again
-- Locks: later. Index: primary key.
delete from punctual.later
where run_id = any ($1::uuid[]) and tenant_id = $2::integer and attempt = 0 and crashes = 0
returning run_id, null::bigint as gate
