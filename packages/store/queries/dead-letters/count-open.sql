-- The number of open dead letters per queue. Counting stops at 10,000 per lane, so that it stays
-- cheap.
--
-- Parameters: none
-- Returns: queue, letters; no row for a queue without dead letters
-- Types: letters!
-- Locks: none. Index: dead_letters_lane.
select l.queue, sum(d.letters)::bigint as letters
from punctual.lanes l
cross join lateral (
  select count(*) as letters
  from (select from punctual.dead_letters where lane = l.id and handled_at is null limit 10000) open
) d
where d.letters > 0
group by l.queue
