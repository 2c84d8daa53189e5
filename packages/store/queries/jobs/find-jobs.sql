-- Jobs by id or by name. Includes jobs that have lost their cursor, so that they can be seen and
-- deleted.
--
-- Parameters: $1 tenant, $2 ids uuid[] or null, $3 names text[] or null
-- Returns: the columns of a job (jobs/rows.ts)
-- Locks: none. Index: primary keys, jobs_name. Pinned: nested loops.
select
  j.id, j.tenant_id, j.name, l.handler, l.queue, l.priority, j.payload, t.spec, j.timing, j.lane,
  j.start_at, c.end_at, j.max_runs, c.runs_left, j.max_attempts, j.timeout_ms, j.traits, j.policy, j.labels,
  j.description, j.owner, j.source, j.created_by, j.version, j.created_at, j.updated_at, j.paused_at,
  j.paused_note, j.planning_error, c.cursor_at, c.next_at, c.anchor_at, c.failures, j.flow
from punctual.jobs j
left join punctual.cursors c on c.job_id = j.id
join punctual.lanes l on l.id = j.lane
join punctual.timings t on t.id = j.timing
where j.tenant_id = $1::integer
  and ($2::uuid[] is null or j.id = any ($2::uuid[]))
  and ($3::text[] is null or j.name = any ($3::text[]))
  and ($2::uuid[] is not null or $3::text[] is not null)
