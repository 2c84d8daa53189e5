-- Asks the handlers of running runs to end. A run that was asked before keeps the first reason.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 reason
-- Returns: run_id of each run that is asked to end, and whether this statement asked first
-- Types: run_id!, now!
-- Locks: leases. Index: primary key. Pinned: no sequential scan.
with asked as (
  update punctual.leases
  set cancel_reason = $3::text
  where run_id = any ($1::uuid[]) and tenant_id = $2::integer and cancel_reason is null and session_id <> 0
  returning run_id
)
select run_id, true as now from asked
union all
select run_id, false
from punctual.leases
where run_id = any ($1::uuid[]) and tenant_id = $2::integer and cancel_reason is not null
