/**
 * The statements that write a generated history. A hash of its number determines every property of
 * a run, so that every load is the same: 60 % of the runs belong to a job, 5 % had a second
 * attempt, 3 % died, 2 % were cancelled, skipped or lost; one in five dead runs was replayed, and
 * each label belongs to one of 1,000 users.
 */
export const dayName = (ms) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')
const HASH = (salt) => `(hashint8extended(i, ${salt}) & 2147483647)`
const ID = `(lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(i & 4095), 3, '0') || '8'
  || right(md5(i::text), 15))::uuid`
const POLICY = 'null'

const RUN_COLUMNS = `id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, key, labels,
  policy, created_by, job_id, slot_at`

/** `count` runs, numbered from `first`, spread over `spanMs`. */
const runsOf = (fromMs, spanMs, count, first) => `
  select
    ${ID} as id, to_timestamp(ms / 1000.0) as due_at, to_timestamp((ms - ${HASH(1)} % 60000) / 1000.0) as created_at,
    1 as tenant_id, coalesce(j.lane, l.lane) as lane, 300000 as timeout_ms, 3::smallint as max_attempts,
    0::smallint as traits,
    '{"user":' || ${HASH(2)} % 1000 || ',"note":"a payload of about a hundred bytes, as most programs have them"}'
      as payload,
    case when ${HASH(3)} % 10 = 0 then 'order:' || i end as key,
    jsonb_build_object('user', 'user_' || lpad((${HASH(2)} % 1000)::text, 3, '0'), 'region',
      (array['eu', 'us', 'ap'])[1 + ${HASH(4)} % 3]) as labels,
    ${POLICY}::text as policy, null::text as created_by, j.job_id,
    case when j.job_id is not null then to_timestamp(ms / 1000.0) end as slot_at
  from (
    select i, ${Math.round(fromMs)} + floor((i - ${first}) * ${spanMs}::float8 / ${count})::bigint as ms
    from generate_series(${first}::bigint, ${first + count - 1}::bigint) i
  ) n
  left join history_jobs j on ${HASH(5)} % 10 < 6 and j.n = ${HASH(6)} % (select count(*) from history_jobs)
  left join history_lanes l on l.n = ${HASH(7)} % (select count(*) from history_lanes)
  order by i`

const OUTCOMES = (day) => `
  insert into punctual.outcomes_${day} (
    run_id, fence, session_id, started_at, finished_at, tenant_id, lane, state, attempt, crashes, attempt_outcome,
    output, error, reason)
  select
    id, h, 1, due_at + h % 200 * interval '1 ms',
    -- One of a hundred ends hours after it was due.
    due_at + h % 200 * interval '1 ms' + h / 7 % 1000 * interval '1 ms'
      + case when h % 100 = 50 then h % 28800 else 0 end * interval '1 second',
    tenant_id, lane, state, case when h % 20 = 1 or state = 2 then 2 else 1 end, 0,
    case state when 1 then 1 when 2 then 2 when 3 then 5 when 4 then null else 4 end,
    case when state = 1 then '{"ok":true}' end,
    case when state = 2 then jsonb_build_object(
      'name', 'Error', 'message', 'The server ' || h % 50 || ' did not answer', 'stack', 'Error: at call (a.js:1:1)')
    end,
    case state when 2 then 'attempts_exhausted' when 3 then 'cancelled' when 4 then 'overlap' end
  from (
    select
      id, due_at, tenant_id, lane, h,
      case when h % 1000 < 950 then 1 when h % 1000 < 980 then 2 when h % 1000 < 990 then 3 when h % 1000 < 998 then 4
        else 5 end as state
    from (
      select id, due_at, tenant_id, lane, hashtextextended(id::text, 9) & 2147483647 as h from punctual.runs_${day}
    ) r
  ) s`

const DEAD_LETTERS = (day) => `
  insert into punctual.dead_letters (
    run_id, died_at, tenant_id, lane, job_id, reason, fingerprint, handled_at, handling, replayed_as, handled_by)
  select
    o.run_id, o.finished_at, o.tenant_id, o.lane, r.job_id, 'attempts_exhausted', md5('server ' || o.fence % 50),
    case when o.fence / 1000 % 5 = 0 then o.finished_at + interval '1 hour' end,
    case when o.fence / 1000 % 5 = 0 then 1 end,
    case when o.fence / 1000 % 5 = 0 then o.run_id end, null
  from punctual.outcomes_${day} o
  join punctual.runs_${day} r on r.id = o.run_id
  where o.state = 2`

const ATTEMPTS = (day) => `
  insert into punctual.attempts_${day} (
    run_id, fence, session_id, started_at, ended_at, tenant_id, attempt, outcome, error)
  select
    run_id, fence + 1, 1, started_at - interval '2 seconds', started_at - interval '1 second', tenant_id, 1, 2,
    jsonb_build_object('name', 'Error', 'message', 'The server ' || fence % 50 || ' did not answer')
  from punctual.outcomes_${day}
  where attempt = 2`

const JOB_DAYS = (day, dayMs) => `
  insert into punctual.job_days (day, tenant_id, job_id, state, runs)
  select (to_timestamp(${dayMs / 1000}) at time zone 'UTC')::date, r.tenant_id, r.job_id, o.state, count(*)
  from punctual.runs_${day} r
  join punctual.outcomes_${day} o on o.run_id = r.id
  where r.job_id is not null
  group by 2, 3, 4`

export function fillDay(dayMs, count, first) {
  const day = dayName(dayMs)
  return [
    `insert into punctual.runs_${day} (${RUN_COLUMNS}) ${runsOf(dayMs, 86_400_000, count, first)}`,
    OUTCOMES(day),
    DEAD_LETTERS(day),
    ATTEMPTS(day),
    JOB_DAYS(day, dayMs),
  ]
}

/** The live runs: most are due and queued, a tenth is scheduled, and one in a hundred is leased. */
export const FILL_LIVE = (todayMs, count) => `
  with made as (
    insert into punctual.runs (${RUN_COLUMNS}) ${runsOf(todayMs, 60_000, count, 1)}
    returning id, due_at, tenant_id, lane, traits, job_id
  ),
  numbered as materialized (
    select *, row_number() over (order by id) as n from made
  ),
  opened as (
    insert into punctual.sessions (
      id, opened_at, renewed_at, expires_at, lease_ms, pid, capacity, state, host, version, handlers, queues, labels)
    values (
      1, now() - interval '1 day', now(), now() + interval '1 day', 30000, 1, 1000, 'active', 'history', '0',
      '{noop}', '{}', '{}')
    on conflict do nothing
  ),
  held as (
    insert into punctual.leases (
      run_id, fence, session_id, claimed_at, tenant_id, lane, attempt, crashes, traits, job_id)
    select id, n, 1, now() - n % 7200 * interval '1 second', tenant_id, lane, 0, 0, traits, job_id
    from numbered where n % 100 = 0
  ),
  later as (
    insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits, job_id)
    select id, now() + interval '1 day', tenant_id, lane, 0, 0, traits, job_id
    from numbered where n % 10 = 1 and n % 100 <> 0
  )
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select
    id, (floor(extract(epoch from due_at) * 1000)::bigint << 20) | (n & 1048575), tenant_id, lane, 0, 0, traits, job_id
  from numbered where n % 10 <> 1 and n % 100 <> 0`

/** The product's counters, and the sums that its janitor derives from them. */
export const FILL_SUMS = [
  `insert into punctual.counters (session_id, bucket_at, tenant_id, lane, state, runs)
   select 0, date_trunc('minute', finished_at), min(tenant_id), lane, state, count(*)
   from punctual.outcomes
   group by 2, lane, state`,
  `insert into punctual.lane_days (day, tenant_id, lane, state, runs)
   select (bucket_at at time zone 'UTC')::date, tenant_id, lane, state, sum(runs)
   from punctual.counters
   where bucket_at < date_trunc('day', now(), 'UTC')
   group by 1, 2, 3, 4`,
  `update punctual.day_sums set through = date_trunc('day', now(), 'UTC')`,
]
