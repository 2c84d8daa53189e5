-- The versions of the time zone data of all live planners.
--
-- Parameters: none
-- Returns: zone_data
-- Locks: none. Index: none; the table is small.
select distinct zone_data
from punctual.planners
where expires_at > clock_timestamp()
order by zone_data
