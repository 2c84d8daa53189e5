-- When the attendant has to look at a run next.
--
-- Parameters: none
-- Returns: one row: ms until then, null when no run awaits its target
-- Locks: none. Index: leases_wake. Pinned: no sequential scan.
-- Null stays null, which greatest() would replace.
select
  case when min(wake_at) is not null
    then greatest(0, extract(epoch from min(wake_at) - clock_timestamp()) * 1000)::float8
  end as wake_in_ms
from punctual.leases
where wake_at is not null
