-- The lanes in which runs wait, and when the first run of each is due. Jumps through the index from
-- lane to lane, so that its cost depends on the lanes that have runs, not on those that exist.
--
-- Parameters: none
-- Returns: lane, due_in_ms, negative when it is due already
-- Types: lane!, due_in_ms!
-- Locks: none. Index: queue_lane_pos. Pinned: no sequential scan.
with recursive heads as (
  (select lane, pos from punctual.queue order by lane, pos limit 1)
  union all
  select n.lane, n.pos
  from heads h
  cross join lateral (
    select q.lane, q.pos from punctual.queue q where q.lane > h.lane order by q.lane, q.pos limit 1
  ) n
)
select
  lane,
  (pos >> :pos.shift) - floor(extract(epoch from clock_timestamp()) * 1000)::bigint as due_in_ms
from heads
