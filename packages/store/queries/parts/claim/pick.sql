-- The places in the queue of the runs that are taken. The bound is a sub-select: a volatile
-- function here would filter the whole lane.
--
-- Expects: `bound`, and lanes with their shares as s, in the order of their ranks.
cross join lateral (
  select q.ctid as place, q.lane, q.traits
  from punctual.queue q
  where q.lane = s.lane and q.pos >= s.pos and q.pos <= (select pos from bound)
  order by q.pos limit s.share for update skip locked
) q
