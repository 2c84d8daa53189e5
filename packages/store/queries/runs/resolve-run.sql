-- Resolves an unknown run: it succeeded, it failed and becomes a dead letter, or it is run again.
--
-- Parameters: $1 run id, $2 tenant, $3 its new state, $4 the run that replays it or null, $5 note,
--   $6 who resolves it
-- Returns: its key (null when it has none); no row when it is not unknown, or was resolved before
-- Locks: the outcome; when two callers resolve it, the second waits and then finds it resolved.
--   Index: primary keys; the id prunes to one partition.
with resolved as (
  update punctual.outcomes
  set
    state = $3::smallint, resolved_at = clock_timestamp(), replayed_as = $4::uuid, note = $5::text,
    resolved_by = $6::text, reason = case when $3::smallint = 5 then reason else 'resolved' end
  where run_id = $1::uuid and tenant_id = $2::integer and state = :states.unknown and resolved_at is null
  returning run_id, tenant_id, lane
),
buried as (
  insert into punctual.dead_letters (run_id, died_at, tenant_id, lane, job_id, reason, fingerprint)
  select o.run_id, clock_timestamp(), o.tenant_id, o.lane, r.job_id, 'resolved', 'WorkerLost: resolved'
  from resolved o
  join punctual.runs r on r.id = $1::uuid
  where $3::smallint = 2
)
select r.key
from resolved o
join punctual.runs r on r.id = $1::uuid
