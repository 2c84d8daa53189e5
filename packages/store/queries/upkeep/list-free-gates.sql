-- Gates that have capacity although runs wait for them: the process that should have admitted them
-- may have died.
--
-- Parameters: $1 after this gate, $2 most gates to read
-- Returns: one row: gates with capacity (null when there is none), the last gate read, how many
--   were read
-- Types: gates text[], looked!
-- Locks: none. Index: parked_gate, from gate to gate; leases_gate, queue_gate. Pinned: no
--   sequential scan.
with recursive page as (
  (
    select p.gate, p.gate_limit, 1 as n
    from punctual.parked p
    where p.gate > $1::bigint
    order by p.gate, p.run_id
    limit 1
  )
  union all
  select p.gate, p.gate_limit, page.n + 1
  from page
  cross join lateral (
    select p.gate, p.gate_limit
    from punctual.parked p
    where p.gate > page.gate
    order by p.gate, p.run_id
    limit 1
  ) p
  where page.n < $2::integer
)
select
  array_agg(gate) filter (
    where gate_limit > (select count(*) from punctual.leases l where l.gate = page.gate)
      + (select count(*) from punctual.queue q where q.gate = page.gate)) as gates,
  max(gate) as last_gate, count(*) as looked
from page
