-- Gates that have room: the first of the runs that wait for each may start, as many as there is room for beside those
-- that go on and those that were let through before. Two that look at once may let too many through: those wait again.
--
-- Parameters: $1 gates bigint[]
-- Returns: lane of each that was moved
-- Locks: parked (skip locked), then new queue rows. Index: parked_gate, leases_gate, queue_gate. Pinned: no sequential scan.
with room as materialized (
  select
    g.gate,
    (select p.gate_limit from punctual.parked p where p.gate = g.gate order by p.run_id limit 1)
      - (select count(*) from punctual.leases l where l.gate = g.gate)
      - (select count(*) from punctual.queue q where q.gate = g.gate) as free
  from unnest($1::bigint[]) as g (gate)
),
free as materialized (
  select p.run_id
  from room r
  cross join lateral (
    select p.run_id
    from punctual.parked p
    where p.gate = r.gate
    order by p.run_id
    limit greatest(r.free, 0)
    for update skip locked
  ) p
  where r.free > 0
),
moved as (
  delete from punctual.parked
  where run_id = any (array(select run_id from free))
  returning run_id, tenant_id, lane, attempt, crashes, traits, job_id, gate
)
insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id, gate)
select
  run_id, floor(extract(epoch from clock_timestamp()) * 1000)::bigint << :pos.shift, tenant_id, lane, attempt, crashes,
  traits, job_id, gate
from moved
returning lane
