-- Moves runs that are due within the horizon from `later` to the queue.
--
-- Parameters: $1 horizon in ms, $2 most runs, $3 where to start (timestamptz)
-- Returns: one row: promoted, and in how many ms the next run enters the horizon (null when no run
--   waits)
-- Types: promoted!
-- Locks: later (skip locked), then new queue rows. Index: later_due. Pinned: no sequential scan.
with bound as materialized (
  select clock_timestamp() + $1::bigint * interval '1 millisecond' as at
),
picked as materialized (
  select ctid as place
  from punctual.later
  where due_at >= $3::timestamptz
    and due_at <= (select at from bound)
  order by due_at
  limit $2::integer
  for update skip locked
),
moved as (
  delete from punctual.later
  where ctid = any (array(select place from picked))
  returning run_id, due_at, tenant_id, lane, attempt, crashes, traits, job_id
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select
    run_id,
    (floor(extract(epoch from greatest(due_at, clock_timestamp())) * 1000)::bigint << :pos.shift)
      | (row_number() over (order by due_at, run_id) & :pos.sequence),
    tenant_id, lane, attempt, crashes, traits, job_id
  from moved
)
select
  (select count(*)::integer from moved) as promoted,
  (select ceil(extract(epoch from l.due_at - bound.at)::float8 * 1000)
   from punctual.later l
   where l.due_at > bound.at
   order by l.due_at
   limit 1) as next_in_ms
from bound
