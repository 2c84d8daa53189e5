-- Moves the first due run of a lane to a later position, otherwise unchanged: the claim of this run
-- alone fails on a stored value. The value may be of its rate, which other runs share, so the run
-- does not end: it is claimed again later, when an operator may have repaired the value.
--
-- Parameters: $1 lane, $2 delay in ms
-- Returns: the run; no row when none is due or another transaction holds it
-- Locks: the queue row (skip locked). Index: queue_lane_pos. Pinned: no sequential scan.
with now as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
),
head as materialized (
  select q.ctid as place
  from punctual.queue q
  where q.lane = $1::integer and q.pos <= ((select ms from now) << :pos.shift | :pos.sequence)
  order by q.pos
  limit 1
  for update skip locked
),
taken as (
  delete from punctual.queue where ctid = any (array(select place from head))
  returning run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id
)
insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
select
  run_id, (now.ms + $2::bigint) << :pos.shift | (pos & :pos.sequence), tenant_id, lane, attempt, crashes,
  traits, job_id
from taken, now
returning run_id
