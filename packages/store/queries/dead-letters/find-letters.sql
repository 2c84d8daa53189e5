-- Finds dead letters by the ids of their runs.
--
-- Parameters: $1 tenant, $2 run ids uuid[]
-- Returns: the columns of a dead letter (dead-letters/rows.ts)
-- Locks: none. Index: primary key of dead_letters.
select
  d.run_id, l.handler, l.queue, l.priority, d.job_id, j.name as job, d.reason, d.fingerprint, d.died_at,
  d.handled_at, d.handling, d.replayed_as, d.note, d.handled_by
from punctual.dead_letters d
join punctual.lanes l on l.id = d.lane
left join punctual.jobs j on j.id = d.job_id
where d.run_id = any ($2::uuid[]) and d.tenant_id = $1::integer
