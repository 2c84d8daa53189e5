-- Runs and the place that each is in, read in one snapshot, in the order of their ids. They end where
-- their payloads, outputs and errors would exceed a number of bytes, after one run at least.
--
-- Parameters: $1 ids uuid[], $2 smallest id, $3 largest id (of $1, so that other partitions are
--   pruned), $4 tenant (null = any), $5 most bytes
-- Returns: the definition, and the columns of each place; no row for a run that does not exist, nor
--   for those that the bytes exclude
-- Locks: none. Index: primary keys, the partitions between.
select
  id, tenant_id, handler, queue, priority, payload, due_at, created_at, max_attempts, timeout_ms,
  key, labels, created_by, trace, later_at, queue_ms, queue_due, session_id, deadline_at, status_url, claimed_at,
  marked_at,
  progress, state, final_attempt, attempt_outcome, final_session_id, started_at, finished_at,
  output, error, reason, parked_at, job_id, job, slot_at, missed_from, cancel_reason, policy,
  traits, replay_of, edited_at, replayed_as, resolved_at, resolved_by, note, flow, gate
from (
  select
    r.id, r.tenant_id, l.handler, l.queue, l.priority, r.payload, r.due_at, r.created_at, r.max_attempts,
    r.timeout_ms, r.key, r.labels, r.created_by, r.trace,
    w.due_at as later_at,
    q.pos >> :pos.shift as queue_ms,
    q.pos >> :pos.shift <= extract(epoch from clock_timestamp()) * 1000 as queue_due,
    s.session_id, s.deadline_at, s.status_url, s.claimed_at, s.started_at as marked_at, s.progress,
    o.state, o.attempt as final_attempt, o.attempt_outcome, o.session_id as final_session_id,
    o.started_at, o.finished_at, o.output, o.error, o.reason,
    k.parked_at, r.job_id, (select j.name from punctual.jobs j where j.id = r.job_id) as job, r.slot_at, r.missed_from,
    s.cancel_reason, r.policy, r.traits, r.replay_of, r.edited_at,
    coalesce(o.replayed_as, (select d.replayed_as from punctual.dead_letters d where d.run_id = r.id)) as replayed_as,
    o.resolved_at, o.resolved_by, o.note, r.flow, k.gate,
    row_number() over (order by r.id) as place,
    sum(
      octet_length(r.payload) + coalesce(octet_length(o.output), 0) + coalesce(octet_length(o.error::text), 0)
    ) over (order by r.id) as total
  from punctual.runs r
  join punctual.lanes l on l.id = r.lane
  left join punctual.later w on w.run_id = r.id
  left join punctual.queue q on q.run_id = r.id
  left join punctual.parked k on k.run_id = r.id
  left join punctual.leases s on s.run_id = r.id
  left join punctual.outcomes o on o.run_id = r.id and o.run_id between $2::uuid and $3::uuid
  where r.id = any ($1::uuid[]) and r.id between $2::uuid and $3::uuid
    and ($4::integer is null or r.tenant_id = $4::integer)
) read
where total <= $5::bigint or place = 1
order by id
