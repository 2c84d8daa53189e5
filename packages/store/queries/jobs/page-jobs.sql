-- One range of a page of jobs by name, or the number of matches: each job with its latest run, and
-- the status that a table of rules derives from both.
--
-- Parameters: $1 tenant, $2 after this name, $3 prefix of the name, $4 ids uuid[], $5 queue,
--   $6 handler, $7 labels jsonb, $8 next slot from and $9 before in ms, $10 statuses text[] (each
--   null = any), $11 most jobs to read, $12 most rows, $13 how many matches to skip, $14 whether
--   only to count, $15 jobs, $16 runs and $17 statuses of the rules text[], $18 most bytes of
--   payloads and policies: the rows end where these would exceed it, after one at least
-- Returns: number of jobs read, name of the last one, matched, whether matches were left out because
--   of their bytes, status, then run_id, state, attempt,
--   started_at, finished_at of the latest run, and the columns of a job (jobs/rows.ts); one row
--   that is null after cut when there is no job
-- Types: looked!, matched!, cut!, status JobStatus!, state RunState, id!, tenant_id!, name!, handler!,
--   queue!, priority!, payload!, spec!, timing!, lane!, max_attempts!, timeout_ms!, traits!,
--   version!, created_at!, updated_at!, failures!
-- Optional: job from status
-- Locks: none. Index: jobs_name or primary keys; runs_job of the partitions, newest first, then
--   primary keys. Planned again for each call.
with bound as materialized (
  select
    floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms,
    (lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint + 1), 12, '0') || repeat('0', 20))::uuid as id
),
looked as materialized (
  select *
  from punctual.jobs
  where tenant_id = $1::integer and name > $2::text and ($3::text is null or name ^@ $3::text)
    and ($4::uuid[] is null or id = any ($4::uuid[]))
  order by name
  limit $11::integer
),
matching as materialized (
  select
    u.status, r.id as run_id, p.state, p.attempt, p.started_at, p.finished_at,
    j.id, j.tenant_id, j.name, l.handler, l.queue, l.priority, j.payload, t.spec, j.timing, j.lane,
    j.start_at, c.end_at, j.max_runs, c.runs_left, j.max_attempts, j.timeout_ms, j.traits, j.policy, j.labels,
    j.description, j.owner, j.source, j.created_by, j.version, j.created_at, j.updated_at, j.paused_at,
    j.paused_note, j.planning_error, c.cursor_at, c.next_at, c.anchor_at, c.failures, j.flow
  from (select * from looked order by name offset 0) j
  join punctual.cursors c on c.job_id = j.id
  join punctual.lanes l on l.id = j.lane
  join punctual.timings t on t.id = j.timing
  cross join lateral (
    select case
      when j.paused_at is not null then 'paused'
      when j.planning_error is not null then 'broken'
      -- A job that waits for its run to end will fire again.
      when c.next_at is null and (c.runs_left = 0 or t.spec::jsonb -> 'when' ->> 'kind' <> 'after-end') then 'over'
      else 'active'
    end as condition
  ) k
  left join lateral (
    select id
    from punctual.runs
    where job_id = j.id
      and id < case when c.next_at is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else (select id from bound) end
    order by id desc
    limit 1
  ) r on true
  left join lateral (
    select
      case o.state
        when 1 then 'succeeded' when 2 then 'dead' when 3 then 'cancelled' when 4 then 'skipped' else 'unknown'
      end as state, o.attempt::integer as attempt, o.started_at, o.finished_at
    from punctual.outcomes o
    where o.run_id = r.id
    union all
    select
      case when s.session_id = 0 then 'awaiting' when s.cancel_reason is null then 'running' else 'cancelling' end, s.attempt + 1,
      coalesce(s.started_at, s.claimed_at), null
    from punctual.leases s
    where s.run_id = r.id
    union all
    select case when q.pos >> :pos.shift <= (select ms from bound) then 'queued' else 'scheduled' end, q.attempt, null, null
    from punctual.queue q
    where q.run_id = r.id
    union all
    select 'scheduled', w.attempt, null, null
    from punctual.later w
    where w.run_id = r.id
    union all
    select 'waiting', k.attempt, null, null
    from punctual.parked k
    where k.run_id = r.id
    limit 1
  ) p on true
  cross join lateral (
    select case
      when p.state is null then 'none'
      when p.state = 'dead'
        and exists (select from punctual.dead_letters d where d.run_id = r.id and d.handled_at is not null)
        then 'dead, handled'
      else p.state
    end as run
  ) v
  cross join lateral (
    select i.status
    from unnest($15::text[], $16::text[], $17::text[]) with ordinality as i (job, run, status, n)
    where i.job in ('any', k.condition) and i.run in ('any', v.run)
    order by i.n
    limit 1
  ) u
  where ($5::text is null or l.queue = $5::text) and ($6::text is null or l.handler = $6::text)
    and ($7::jsonb is null or j.labels @> $7::jsonb)
    and ($8::float8 is null or c.next_at >= to_timestamp($8::float8 / 1000))
    and ($9::float8 is null or c.next_at < to_timestamp($9::float8 / 1000))
    and ($10::text[] is null or u.status = any ($10::text[]))
  order by j.name
  limit $12::integer + $13::integer
),
-- Sizes are known without reading the payloads; the column list of the answer keeps them out of it.
sized as (
  select
    *, row_number() over (order by name) as place,
    sum(octet_length(payload) + coalesce(octet_length(policy), 0)) over (order by name) as total
  from (select * from matching order by name offset $13::integer) page
)
select
  (select count(*) from looked) as looked, (select name from looked order by name desc limit 1) as last,
  (select count(*) from matching) as matched,
  exists (select from sized where total > $18::bigint and place > 1) as cut,
  m.status, m.run_id, m.state, m.attempt, m.started_at, m.finished_at, m.id, m.tenant_id, m.name, m.handler,
  m.queue, m.priority, m.payload, m.spec, m.timing, m.lane, m.start_at, m.end_at, m.max_runs, m.runs_left,
  m.max_attempts, m.timeout_ms, m.traits, m.policy, m.labels, m.description, m.owner, m.source, m.created_by,
  m.version, m.created_at, m.updated_at, m.paused_at, m.paused_note, m.planning_error, m.cursor_at, m.next_at,
  m.anchor_at, m.failures, m.flow
from (select 1) one
left join sized m on not $14::boolean and (m.total <= $18::bigint or m.place = 1)
order by m.name
