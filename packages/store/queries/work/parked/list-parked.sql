-- The jobs, and the gates, that runs which are parked wait for.
--
-- Parameters: $1 run ids uuid[]
-- Returns: job_id (null for those that wait for a gate), gate, none twice
-- Types: gate bigint
-- Locks: none. Index: primary key. Pinned: no sequential scan.
select distinct case when gate is null then job_id end as job_id, gate
from punctual.parked
where run_id = any ($1::uuid[])
