-- Fences sessions whose lease has expired and takes back their runs.
--
-- A lease without a start mark whose run never crashed before may have started: it counts as a
-- crash. A run that has crashed before is always marked when it starts, so without a mark it did
-- not start: it returns unchanged, and runs next to a poison pill are not charged. A policy that
-- does not retry crashes is respected. A marked at-most-once run (trait 2) becomes unknown and is
-- never started again. A run that was asked to end counts as cancelled. A lease that another
-- transaction has locked is skipped, and its session stays for the next round: a single worker that
-- was suspended at a bad time must not block the reaper.
--
-- Parameters: $1 this process's id for the counters, $2 sessions bigint[], $3 crashes until
--   quarantine
-- Returns: one row: sessions, returned, dead, unknown, cancelled
-- Types: sessions!, returned!, dead!, unknown!, cancelled!
-- Locks: sessions (skip locked: a claim in progress keeps its session), leases (skip locked),
--   live_keys.
-- Index: primary keys; leases are scanned once per lost session.
with expired as materialized (
  select id
  from punctual.sessions
  where id = any ($2::bigint[]) and expires_at <= clock_timestamp()
  order by id
  for update skip locked
),
orphaned as materialized (
  select o.id
  from unnest($2::bigint[]) as o (id)
  where not exists (select from punctual.sessions s where s.id = o.id)
),
held as materialized (
  select run_id, session_id
  from punctual.leases
  where session_id in (select id from expired union all select id from orphaned)
),
free as materialized (
  -- A worker that was suspended between the success of a handler's transaction and its commit still
  -- holds a lock on the lease.
  select run_id
  from punctual.leases
  where run_id = any (array(select run_id from held))
  for update skip locked
),
fenced as (
  delete from punctual.sessions
  where id in (select id from expired)
    and id not in (select session_id from held where run_id not in (select run_id from free))
  returning id, opened_at, pid, capacity, host, version, handlers, queues, labels
),
remembered as (
  insert into punctual.past_sessions (
    id, opened_at, ended_at, pid, capacity, fenced, host, version, handlers, queues, labels)
  select id, opened_at, clock_timestamp(), pid, capacity, true, host, version, handlers, queues, labels
  from fenced
  -- As in close-session: nothing that a worker reports about itself may block the reaper.
  on conflict (id) do update
    set
      opened_at = excluded.opened_at, ended_at = excluded.ended_at, pid = excluded.pid, capacity = excluded.capacity,
      fenced = excluded.fenced, host = excluded.host, version = excluded.version, handlers = excluded.handlers,
      queues = excluded.queues, labels = excluded.labels
),
taken as (
  delete from punctual.leases l
  where l.run_id = any (array(select run_id from free))
  returning
    l.run_id, l.fence, l.session_id, l.claimed_at, l.started_at, l.tenant_id, l.lane, l.attempt, l.crashes,
    l.traits, l.job_id, l.cancel_reason
),
judged as materialized (
  select
    t.run_id, t.fence, t.session_id,
    -- The claim counts as the start, unless the run needs an explicit mark: the handler may have
    -- been called at once.
    case
      when t.crashes > 0 or t.traits & :traits.at_most_once <> 0 then t.started_at
      else coalesce(t.started_at, t.claimed_at)
    end as started_at,
    t.tenant_id, t.lane, t.attempt, t.crashes, t.traits, t.job_id,
    t.cancel_reason,
    case
      when t.traits & :traits.at_most_once <> 0 and t.started_at is not null then 'lost'
      when t.cancel_reason is not null then 'cancelled'
      when t.traits & :traits.at_most_once <> 0 or (t.started_at is null and t.crashes > 0) then 'unstarted'
      when t.crashes + 1 >= $3::integer then 'quarantined'
      when not (r.policy::jsonb -> 'retryOn') ? 'crashed' or (r.policy::jsonb -> 'abortOn') ? 'crashed' then 'refused'
      else 'crashed'
    end as fate
  from taken t
  left join punctual.runs r on r.id = t.run_id
),
returned as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select
    run_id, floor(extract(epoch from clock_timestamp()) * 1000)::bigint << :pos.shift, tenant_id, lane,
    least(attempt + (fate = 'crashed')::integer, :attempts.counted),
    least(crashes + (fate = 'crashed')::integer, :attempts.counted), traits, job_id
  from judged
  where fate in ('unstarted', 'crashed')
),
kept as (
  insert into punctual.attempts (
    run_id, fence, session_id, started_at, ended_at, tenant_id, attempt, outcome, error)
  select
    run_id, fence, session_id, started_at, clock_timestamp(), tenant_id,
    least(attempt + 1, :attempts.counted), :outcomes.crashed,
    '{"name":"WorkerLost","message":"The worker that held this run did not renew its lease."}'
  from judged
  where fate = 'crashed'
  -- The number of attempts is saturated: the last ones share a number, and the first is kept.
  on conflict (run_id, attempt) do nothing
),
ended as (
  select
    run_id, fence, session_id, tenant_id, lane, least(crashes + 1, :attempts.counted)::smallint as crashes, traits, job_id,
    null::text as output, least(attempt + 1, :attempts.counted)::smallint as attempt,
    case fate
      when 'lost' then :states.unknown when 'cancelled' then :states.cancelled else :states.dead
    end::smallint as state,
    :outcomes.crashed::smallint as attempt_outcome, started_at,
    '{"name":"WorkerLost","message":"The worker that held this run did not renew its lease."}'::jsonb as error,
    case fate
      when 'lost' then 'worker_lost' when 'cancelled' then cancel_reason when 'refused' then 'policy' else 'quarantined'
    end as reason
  from judged
  where fate in ('lost', 'cancelled', 'quarantined', 'refused')
),
buried as (
  insert into punctual.dead_letters (run_id, died_at, tenant_id, lane, job_id, reason, fingerprint)
  select run_id, clock_timestamp(), tenant_id, lane, job_id, reason, 'WorkerLost: ' || reason
  from ended
  where state = :states.dead
),
-- include: finish
select
  (select count(*) from fenced)::integer as sessions,
  (select count(*) from judged where fate in ('unstarted', 'crashed'))::integer as returned,
  (select count(*) from judged where fate in ('quarantined', 'refused'))::integer as dead,
  (select count(*) from judged where fate = 'lost')::integer as unknown,
  (select count(*) from judged where fate = 'cancelled')::integer as cancelled
