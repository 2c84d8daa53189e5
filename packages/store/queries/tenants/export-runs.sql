-- Runs of a tenant for its export, by id, a page at a time. A page ends where its payloads and
-- outputs would exceed a number of bytes, after one run at least.
--
-- Parameters: $1 tenant, $2 after this id, $3 before this id, $4 most rows, $5 most bytes
-- Returns: id, its columns as JSON, payload, output (both as stored)
-- Types: facts ExportedRun!
-- Locks: none. Index: primary keys, in the partitions between.
select id, facts, payload, output
from (
  select
    r.id,
    jsonb_strip_nulls(jsonb_build_object(
      'handler', n.handler, 'queue', n.queue, 'priority', n.priority, 'due_at', r.due_at, 'created_at', r.created_at,
      'timeout_ms', r.timeout_ms, 'max_attempts', r.max_attempts, 'key', r.key, 'labels', r.labels,
      'created_by', r.created_by, 'job_id', r.job_id, 'slot_at', r.slot_at, 'replay_of', r.replay_of,
      'final_state', o.state, 'attempts', o.attempt, 'started_at', o.started_at, 'finished_at', o.finished_at,
      'error', o.error, 'reason', o.reason)) as facts,
    r.payload, o.output, row_number() over (order by r.id) as place,
    sum(octet_length(r.payload) + coalesce(octet_length(o.output), 0)) over (order by r.id) as total
  from punctual.runs r
  left join punctual.outcomes o on o.run_id = r.id and o.run_id > $2::uuid and o.run_id < $3::uuid
  left join punctual.lanes n on n.id = r.lane
  where r.id > $2::uuid and r.id < $3::uuid and r.tenant_id = $1::integer
  order by r.id
  limit $4::integer
) page
where total <= $5::bigint or place = 1
order by id
