-- Which runs a worker holds or has attempted: these are not replaced.
--
-- Parameters: $1 run ids uuid[]
-- Returns: run_id
-- Types: run_id!
-- Locks: none. Index: primary keys.
select run_id from punctual.leases where run_id = any ($1::uuid[])
union all
select run_id from punctual.queue where run_id = any ($1::uuid[]) and (attempt > 0 or crashes > 0)
union all
select run_id from punctual.later where run_id = any ($1::uuid[]) and (attempt > 0 or crashes > 0)
union all
select run_id from punctual.parked where run_id = any ($1::uuid[]) and (attempt > 0 or crashes > 0)
