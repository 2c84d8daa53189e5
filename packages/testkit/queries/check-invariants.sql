-- Checks the fifteen invariants of the protocol over the whole schema and the witness's records.
--
-- Parameters: $1 maximum number of violations
-- Returns: invariant, subject (a run, job or session), detail of the violation; no row when all
--   hold
-- Locks: none; one snapshot, so that it may run during any activity.
-- Index: none, everything is read; each table once, because history has many days.
with run as materialized (
  -- A replay has the slot of the dead run, and is no other run of it.
  select
    id, tenant_id, lane, traits, max_attempts, key, job_id,
    case when replay_of is null then slot_at end as slot_at
  from punctual.runs
),
place as materialized (
  select run_id, 'later' as name, tenant_id, lane, attempt, crashes, traits, job_id, null::bigint as fence,
    null::bigint as session_id, null::timestamptz as started_at
  from punctual.later
  union all
  select run_id, 'queue', tenant_id, lane, attempt, crashes, traits, job_id, null, null, null from punctual.queue
  union all
  select run_id, 'parked', tenant_id, lane, attempt, crashes, traits, job_id, null, null, null from punctual.parked
  union all
  select run_id, 'leases', tenant_id, lane, attempt, crashes, traits, job_id, fence, session_id, started_at
  from punctual.leases
),
ended as materialized (
  select run_id, fence, session_id, started_at, tenant_id, lane, state, attempt, crashes, attempt_outcome, reason
  from punctual.outcomes
),
tried as materialized (
  select run_id, fence, session_id, started_at, tenant_id, attempt, outcome from punctual.attempts
),
-- For each run, the attempts that were followed by another one.
tries as materialized (
  select
    run_id, count(*) as all_of_them, max(attempt) as last, count(*) filter (where outcome in (2, 3)) as failed,
    count(*) filter (where outcome = 4) as crashed, count(*) filter (where started_at is not null) as started
  from tried
  group by run_id
),
slot as materialized (
  select
    job_id, slot_at, coalesce(from_at, slot_at) as first_at, run_id, tenant_id, decision, reason,
    lag(slot_at) over (partition by job_id order by slot_at) as before_at
  from punctual.slots
),
-- Runs of slots that were withdrawn before they started: their slots have no decision, or another
-- one.
withdrawn as materialized (
  select run_id from ended where state = 3 and reason = 'superseded' and fence is null
),
-- Jobs that fire every N seconds, and since when their current rules apply.
paced as materialized (
  select
    c.job_id, c.cursor_at, substring(t.spec::jsonb -> 'when' ->> 'expression' from '^(\d+)s$')::integer * interval '1 second'
      as period,
    coalesce((select max(until_at) from punctual.job_versions v where v.job_id = c.job_id), '-infinity') as since_at
  from punctual.cursors c
  join punctual.timings t on t.id = c.timing
  where t.spec::jsonb -> 'when' ->> 'kind' = 'every' and t.spec::jsonb -> 'when' ->> 'expression' ~ '^\d+s$'
),
broken (invariant, subject, detail) as (
  -- I1: a slot has one decision and at most one run.
  select 'I1', job_id::text, format('%s is decided twice', slot_at) from slot where first_at <= before_at
  union all
  select 'I1', job_id::text, format('%s has %s runs', slot_at, count(*))
  from run r
  where slot_at is not null
    and not exists (select from withdrawn w where w.run_id = r.id)
    and not exists (select from punctual.backfills b where b.run_id = r.id)
  group by job_id, slot_at
  having count(*) > 1

  -- I2: one outcome is accepted for a run, and one for each of its attempts.
  union all
  select 'I2', run_id::text, format('%s final outcomes were accepted', count(*))
  from witness.ends where final group by run_id having count(*) > 1
  union all
  select 'I2', run_id::text, format('%s outcomes of fence %s were accepted', count(*), fence)
  from witness.ends where fence is not null group by run_id, fence having count(*) > 1
  union all
  select 'I2', e.run_id::text, format('fence %s is both its outcome and an earlier attempt', e.fence)
  from ended e join tried t on t.run_id = e.run_id and t.fence = e.fence

  -- I3: an accepted outcome names the current lease.
  union all
  select 'I3', e.run_id::text, format('an outcome of fence %s was accepted without its lease', e.fence)
  from witness.ends e
  where e.fence is not null and not exists (
    select from witness.leases l where l.run_id = e.run_id and l.fence = e.fence and l.ended_in = e.ended_in)
  union all
  select 'I3', p.run_id::text, format('fence %s holds it, but has ended', p.fence)
  from place p join tried t on t.run_id = p.run_id and t.fence = p.fence

  -- I4: attempt numbers rise by one, and no fence repeats.
  union all
  select 'I4', p.run_id::text, format('%s says %s attempts, %s crashes; %s and %s are on record', p.name, p.attempt,
    p.crashes, coalesce(t.all_of_them, 0), coalesce(t.crashed, 0))
  from place p left join tries t on t.run_id = p.run_id
  where (p.attempt, p.crashes) is distinct from (coalesce(t.all_of_them, 0), coalesce(t.crashed, 0))
    or t.last <> t.all_of_them
  union all
  select 'I4', e.run_id::text, format('it ended with attempt %s; %s are on record', e.attempt, coalesce(t.all_of_them, 0))
  from ended e left join tries t on t.run_id = e.run_id
  where e.attempt <> coalesce(t.all_of_them, 0) + (e.fence is not null)::integer
  union all
  select 'I4', run_id::text, format('fence %s was granted twice, or its attempt number decreased', fence)
  from (
    select run_id, fence, attempt < lag(attempt) over of_run or count(*) over (partition by run_id, fence) > 1 as wrong
    from witness.leases
    window of_run as (partition by run_id order by step)
  ) granted
  where wrong

  -- I5: a final state never changes.
  union all
  select 'I5', subject, detail from witness.rewrites where what = 'outcome'
  union all
  select 'I5', l.run_id::text, format('fence %s was granted after its end', l.fence)
  from witness.leases l join witness.ends e on e.run_id = l.run_id and e.final and e.step < l.step

  -- I6: cursors never move back over decided slots, and no slot below a cursor is undecided.
  union all
  select 'I6', subject, format('%s: %s', what, detail) from witness.rewrites where what in ('slot', 'cursor')
  union all
  select 'I6', s.job_id::text, format('%s is decided, and the cursor is at %s', s.slot_at, c.cursor_at)
  from slot s join punctual.cursors c on c.job_id = s.job_id and s.slot_at > c.cursor_at
  union all
  select 'I6', s.job_id::text, format('nothing is decided between %s and %s', s.before_at, s.first_at)
  from slot s join paced p on p.job_id = s.job_id and s.before_at > p.since_at
  where s.first_at - s.before_at > p.period
  union all
  select 'I6', p.job_id::text, format('nothing is decided between %s and the cursor, %s', max(s.slot_at), p.cursor_at)
  from paced p join slot s on s.job_id = p.job_id and s.slot_at > p.since_at
  group by p.job_id, p.cursor_at, p.period
  having p.cursor_at - max(s.slot_at) >= p.period
  union all
  select 'I6', s.job_id::text, format('%s became run %s, which does not exist', s.slot_at, s.run_id)
  from slot s where s.run_id is not null and not exists (select from run r where r.id = s.run_id)
  union all
  select 'I6', r.job_id::text, format('run %s belongs to %s, which has another decision or none', r.id, r.slot_at)
  from run r
  where r.slot_at > now() - interval '1 day'
    and not exists (select from slot s where s.run_id = r.id)
    and not exists (select from withdrawn w where w.run_id = r.id)
    and not exists (select from punctual.backfills b where b.run_id = r.id)

  -- I7: the consequences of an end exist exactly when the end requires them.
  union all
  select 'I7', e.run_id::text, 'it is dead without a dead letter'
  from ended e where e.state = 2 and not exists (select from punctual.dead_letters d where d.run_id = e.run_id)
  union all
  select 'I7', d.run_id::text, 'it has a dead letter but is not dead'
  from punctual.dead_letters d join run r on r.id = d.run_id
  where not exists (select from ended e where e.run_id = d.run_id and e.state = 2)
  union all
  select 'I7', c.job_id::text, 'the run that it waited for has ended, but it has no next slot'
  from punctual.cursors c
  join punctual.jobs j on j.id = c.job_id
  join punctual.timings t on t.id = c.timing
  where t.spec::jsonb -> 'when' ->> 'kind' = 'after-end' and c.next_at is null and not c.paused
    and coalesce(c.runs_left, 1) > 0 and j.planning_error is null and coalesce(c.end_at, 'infinity') > now()
    and not exists (select from place p where p.job_id = c.job_id and p.traits & 4 <> 0)

  -- I8: a running run holds a lease of an existing session.
  union all
  select 'I8', p.run_id::text, format('it is leased to session %s, which does not exist', p.session_id)
  from place p
  where p.name = 'leases' and not exists (select from punctual.sessions s where s.id = p.session_id)

  -- I9: a fenced session is never accepted again.
  union all
  select 'I9', e.run_id::text, format('session %s was fenced, but its outcome %s was accepted', e.session_id, e.outcome)
  from witness.ends e join witness.fenced f on f.session_id = e.session_id and f.step < e.step
  where e.outcome is distinct from 4
  union all
  select 'I9', l.run_id::text, format('session %s was fenced, but claimed afterwards', l.session_id)
  from witness.leases l join witness.fenced f on f.session_id = l.session_id and f.step < l.step

  -- I10: every run exists in exactly one place, and nothing else does.
  union all
  select 'I10', id::text, format('it is in %s', coalesce(string_agg(p.name, ' and ' order by p.name), 'no place'))
  from run r
  left join (select run_id, name from place union all select run_id, 'outcomes' from ended) p on p.run_id = r.id
  group by id
  having count(p.name) <> 1
  union all
  select 'I10', p.run_id::text, format('it is in %s but was never created', p.name)
  from (select run_id, name from place union all select run_id, 'outcomes' from ended) p
  where not exists (select from run r where r.id = p.run_id)

  -- I11: every row of a run or a job has its tenant.
  union all
  select 'I11', owned.run_id::text, format('its row in %s has tenant %s', owned.name, owned.tenant_id)
  from (
    select run_id, name, tenant_id from place
    union all select run_id, 'outcomes', tenant_id from ended
    union all select run_id, 'attempts', tenant_id from tried
    union all select run_id, 'live_keys', tenant_id from punctual.live_keys
    union all select run_id, 'dead_letters', tenant_id from punctual.dead_letters
    union all select run_id, 'stale_settles', tenant_id from punctual.stale_settles
    union all select run_id, 'run_logs', tenant_id from punctual.run_logs
    union all select run_id, 'slots', tenant_id from slot where run_id is not null
    union all select run_id, 'triggers', tenant_id from punctual.triggers
    union all select id, 'lanes', (select l.tenant_id from punctual.lanes l where l.id = run.lane) from run
  ) owned
  join run r on r.id = owned.run_id
  where owned.tenant_id is distinct from r.tenant_id
  union all
  select 'I11', owned.job_id::text, format('its row in %s has tenant %s', owned.name, owned.tenant_id)
  from (
    select job_id, 'cursors' as name, tenant_id from punctual.cursors
    union all select job_id, 'slots', tenant_id from slot
    union all select job_id, 'runs', tenant_id from run where job_id is not null
  ) owned
  join punctual.jobs j on j.id = owned.job_id
  where owned.tenant_id <> j.tenant_id

  -- I12: attempts and crashes are bounded; a live run has an attempt left.
  union all
  select 'I12', r.id::text, format('%s of %s attempts failed, %s crashed', t.failed, r.max_attempts, t.crashed)
  from run r join tries t on t.run_id = r.id
  where t.failed >= r.max_attempts or t.crashed >= 3

  -- I13: a slot or run that did not execute records why.
  union all
  select 'I13', job_id::text, format('%s has decision %s, reason %s and run %s', slot_at, decision, reason, run_id)
  from slot
  where case decision
    when 1 then run_id is null or reason not in (1, 2, 3, 8)
    else run_id is not null or reason not in (4, 5, 6, 7)
  end
  union all
  select 'I13', run_id::text, format('it ended with state %s and no reason', state)
  from ended where state <> 1 and coalesce(reason, '') = ''

  -- I14: an at-most-once run starts at most once.
  union all
  select 'I14', r.id::text, format('it was started %s times', count(*) filter (where l.marks > 0))
  from run r join witness.leases l on l.run_id = r.id
  where r.traits & 2 <> 0
  group by r.id
  having count(*) filter (where l.marks > 0) > 1
  union all
  select 'I14', r.id::text, format('%s of its attempts had started, but it was retried', t.started)
  from run r join tries t on t.run_id = r.id
  where r.traits & 2 <> 0 and t.started > 0

  -- I15: an ended run holds nothing; a live run holds its key.
  union all
  select 'I15', e.run_id::text, format('it has ended but holds %s', h.what)
  from ended e
  join (
    select run_id, 'the key ' || key as what from punctual.live_keys
    union all select run_id, 'the job ' || job_id from punctual.job_holds
    union all select run_id, 'a lease' from place where name = 'leases'
  ) h on h.run_id = e.run_id
  union all
  select 'I15', r.id::text, format('it is live but does not hold its key %s', r.key)
  from run r join place p on p.run_id = r.id
  where r.key is not null
    and not exists (select from punctual.live_keys k where k.run_id = r.id and k.key = r.key and k.tenant_id = r.tenant_id)
  union all
  select 'I15', p.run_id::text, format('it runs but does not hold its job %s, which must not overlap', p.job_id)
  from place p
  where p.name = 'leases' and p.traits & 112 <> 0
    and not exists (select from punctual.job_holds h where h.job_id = p.job_id and h.run_id = p.run_id)
)
select invariant, subject, detail from broken order by substr(invariant, 2)::integer, subject, detail limit $1
