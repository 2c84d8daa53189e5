-- The live runs that hold these keys.
--
-- Parameters: $1 tenant, $2 keys text[]
-- Returns: key, run_id
-- Locks: none. Index: primary key of live_keys.
select key, run_id
from punctual.live_keys
where tenant_id = $1::integer and key = any ($2::text[])
