-- Takes open dead letters for the rest of the transaction: of two that want the same, one waits and then finds it
-- handled. Says which keys their runs had.
--
-- Parameters: $1 tenant, $2 run ids uuid[]
-- Returns: run_id, whether its run is still there, key (null when it has none)
-- Locks: dead_letters, sorted. Index: primary keys; the ids prune runs to their days.
select d.run_id, r.id is not null as found, r.key
from punctual.dead_letters d
left join punctual.runs r on r.id = d.run_id and r.id = any ($2::uuid[])
where d.run_id = any ($2::uuid[]) and d.tenant_id = $1::integer
  -- That is: handled_at is null; in words that lead to the primary key, and not to an index of all that are open.
  and coalesce(d.handled_at, 'infinity') = 'infinity'
order by d.run_id
for update of d
