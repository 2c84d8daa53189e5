-- Whether runs are in a place, their final states, and how late they first started.
--
-- Parameters: $1 runs uuid[]
-- Returns: n, the position in the list; whether it is in any place, its state when it has ended,
--   lateness in ms or null
-- Types: n!, placed!
-- Locks: none. Index: primary keys, in the partitions of the runs. Pinned: no sequential scan.
select
  i.n, o.state is not null or l.attempt is not null or w.found as placed, o.state,
  (extract(epoch from coalesce(a.started_at, o.started_at, l.started_at) - r.due_at) * 1000)::bigint as lateness_ms
from unnest($1::uuid[]) with ordinality as i (run_id, n)
left join lateral (select due_at from punctual.runs where id = i.run_id limit 1) r on true
left join lateral (
  select state, attempt, started_at from punctual.outcomes where run_id = i.run_id limit 1
) o on true
left join lateral (
  select attempt, started_at from punctual.leases where run_id = i.run_id limit 1
) l on true
left join lateral (
  select started_at
  from punctual.attempts
  where run_id = i.run_id and attempt = 1 and coalesce(o.attempt, l.attempt + 1, 0) > 1
  limit 1
) a on true
cross join lateral (
  select
    o.state is null and l.attempt is null and (
      exists (select from punctual.queue where run_id = i.run_id)
      or exists (select from punctual.later where run_id = i.run_id)
      or exists (select from punctual.parked where run_id = i.run_id)) as found
) w
