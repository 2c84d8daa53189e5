-- Locks open dead letters until the transaction ends: when two transactions want the same one, the
-- second waits and then finds it handled. Also returns the keys of their runs.
--
-- Parameters: $1 tenant, $2 run ids uuid[]
-- Returns: run_id, whether its run still exists, key (null when it has none)
-- Types: found!
-- Locks: dead_letters, sorted. Index: primary keys; the ids prune runs to their partitions.
select d.run_id, r.id is not null as found, r.key
from punctual.dead_letters d
left join punctual.runs r on r.id = d.run_id and r.id = any ($2::uuid[])
where d.run_id = any ($2::uuid[]) and d.tenant_id = $1::integer
  -- Means handled_at is null; this form uses the primary key instead of an index of all open dead
  -- letters.
  and coalesce(d.handled_at, 'infinity') = 'infinity'
order by d.run_id
for update of d
