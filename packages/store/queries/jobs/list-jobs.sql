-- Jobs by name, a page at a time. With a number of bytes, a page ends where its payloads and
-- policies would exceed it, after one job at least.
--
-- Parameters: $1 tenant, $2 after this name (text), $3 source or null, $4 state or null
--   (active, paused, finished, failing), $5 most rows, $6 most bytes or null
-- Returns: the columns of a job (jobs/rows.ts)
-- Locks: none. Index: jobs_name.
select
  id, tenant_id, name, handler, queue, priority, payload, spec, timing, lane, start_at, end_at, max_runs,
  runs_left, max_attempts, timeout_ms, traits, policy, labels, description, owner, source, created_by,
  version, created_at, updated_at, paused_at, paused_note, planning_error, cursor_at, next_at, anchor_at,
  failures, flow
from (
  select
    j.id, j.tenant_id, j.name, l.handler, l.queue, l.priority, j.payload, t.spec, j.timing, j.lane,
    j.start_at, c.end_at, j.max_runs, c.runs_left, j.max_attempts, j.timeout_ms, j.traits, j.policy, j.labels,
    j.description, j.owner, j.source, j.created_by, j.version, j.created_at, j.updated_at, j.paused_at,
    j.paused_note, j.planning_error, c.cursor_at, c.next_at, c.anchor_at, c.failures, j.flow,
    row_number() over (order by j.name) as place,
    sum(octet_length(j.payload) + coalesce(octet_length(j.policy), 0)) over (order by j.name) as total
  from punctual.jobs j
  join punctual.cursors c on c.job_id = j.id
  join punctual.lanes l on l.id = j.lane
  join punctual.timings t on t.id = j.timing
  where j.tenant_id = $1::integer and j.name > $2::text
    and ($3::text is null or j.source = $3::text)
    and case $4::text
      when 'active' then j.paused_at is null and c.next_at is not null
      when 'paused' then j.paused_at is not null
      -- A job that waits for its run to end is not finished.
      when 'finished' then j.paused_at is null and j.planning_error is null and c.next_at is null
        and (c.runs_left = 0 or t.spec::jsonb -> 'when' ->> 'kind' <> 'after-end')
      when 'failing' then j.planning_error is not null
      else true
    end
  order by j.name
  limit $5::integer
) page
where $6::bigint is null or total <= $6::bigint or place = 1
order by name
