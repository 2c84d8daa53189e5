-- The calendars of a tenant by name, a page at a time. A page ends where its bytes would exceed a
-- number, after one calendar at least.
--
-- Parameters: $1 tenant, $2 after this name, $3 most bytes
-- Returns: name, spec, whether it has a successor
-- Types: spec CalendarInput!, more!
-- Locks: none. Index: primary key.
select name, spec, place < calendars as more
from (
  select
    name, spec, sum(octet_length(spec)) over (order by name) as total, row_number() over (order by name) as place,
    count(*) over () as calendars
  from punctual.calendars
  where tenant_id = $1::integer and name > $2::text
) read
where total <= $3::bigint or place = 1
order by name
