/**
 * Checks the ledger: every slot of every job in a window, recomputed from its schedule, has one
 * decision to run, one run and one success. `punctual verify` proves the same from the product's
 * side; this check shares only the next-fire engine with it.
 */
import pg from 'pg'

const CORE = (room) => new URL(`../../packages/core/dist/${room}/index.js`, import.meta.url).href

/**
 * @param {string} databaseUrl
 * @param {{ schedules: import('./schedules.mjs').Schedule[], fromMs: number, untilMs: number }} window
 *   slots from `fromMs` to before `untilMs`; runs due before `untilMs` have to be finished
 */
export async function checkLedger(databaseUrl, { schedules, fromMs, untilMs }) {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query("set work_mem = '512MB'")
    await client.query('create temporary table bench_owed (spec text, slot_at timestamptz)')
    const { specs, slots } = await owed(schedules, fromMs, untilMs)
    await client.query(
      `insert into bench_owed
       select spec, to_timestamp(slot_ms / 1000.0) from unnest($1::text[], $2::float8[]) as i (spec, slot_ms)`,
      [specs, slots],
    )
    await client.query('analyze bench_owed')
    const { rows } = await client.query(COUNT, [fromMs, untilMs])
    return Object.fromEntries(Object.entries(rows[0]).map(([key, value]) => [key, Number(value)]))
  } finally {
    await client.end()
  }
}

/** The slots of each schedule, as parallel arrays. */
async function owed(schedules, fromMs, untilMs) {
  const { compileJob, nextSlotOf } = await import(CORE('job'))
  const { TimingCache } = await import(CORE('schedule'))
  const timings = new TimingCache()
  const [specs, slots] = [[], []]
  for (const schedule of schedules) {
    const options = { name: 'bench', handler: 'noop', ...schedule }
    const { rules, rulesText } = compileJob(options, { timezone: 'UTC', jitterMs: 0 })
    const next = nextSlotOf({ id: '', anchorMs: fromMs }, rules, timings)
    for (let ms = next(fromMs - 1); ms !== null && ms < untilMs; ms = next(ms)) {
      specs.push(rulesText)
      slots.push(ms)
    }
  }
  return { specs, slots }
}

const COUNT = `
  with span as (
    select to_timestamp($1::float8 / 1000) as from_at, to_timestamp($2::float8 / 1000) as until_at
  ),
  owed as materialized (
    select j.id as job_id, o.slot_at
    from bench_owed o
    join punctual.timings t on md5(t.spec) = md5(o.spec)
    join punctual.jobs j on j.timing = t.id and j.tenant_id = 1
  ),
  decided as materialized (
    select s.job_id, s.slot_at, s.run_id, s.decided_at
    from punctual.slots s, span
    where s.slot_at >= span.from_at and s.slot_at < span.until_at and s.tenant_id = 1
  ),
  made as materialized (
    select r.id, r.job_id, r.slot_at, r.due_at
    from punctual.runs r, span
    where r.slot_at >= span.from_at and r.slot_at < span.until_at and r.tenant_id = 1
  )
  select
    (select count(*) from owed) as owed,
    (select count(*) from owed o
     left join decided d on d.job_id = o.job_id and d.slot_at = o.slot_at
     where d.run_id is null) as missing,
    (select count(*) from decided d
     left join owed o on o.job_id = d.job_id and o.slot_at = d.slot_at
     where o.job_id is null) as unexpected,
    (select count(*) - count(distinct (job_id, slot_at)) from made) as doubled,
    (select count(*) from decided where decided_at > slot_at) as planned_late,
    (select count(*) from made m
     left join punctual.outcomes o on o.run_id = m.id
     where m.due_at < (select until_at from span) and o.state is distinct from 1) as unfinished`
