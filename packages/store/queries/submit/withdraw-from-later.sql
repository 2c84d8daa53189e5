-- Takes runs that were never attempted out of `later`, so that replace-runs can place them again in
-- the same transaction. A faster claim keeps its runs.
--
-- Parameters: $1 run ids uuid[], $2 tenant
-- Returns: run_id of each withdrawn run, and the gate that it had passed, which is free again
-- Types: gate bigint
-- Locks: later. Index: primary key.
delete from punctual.later
where run_id = any ($1::uuid[]) and tenant_id = $2::integer and attempt = 0 and crashes = 0
returning run_id, null::bigint as gate
