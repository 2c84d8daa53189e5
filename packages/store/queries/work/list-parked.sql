-- The jobs of runs that are parked.
--
-- Parameters: $1 run ids uuid[]
-- Returns: job_id, none twice
-- Locks: none. Index: primary key. Pinned: no sequential scan.
select distinct job_id from punctual.parked where run_id = any ($1::uuid[])
