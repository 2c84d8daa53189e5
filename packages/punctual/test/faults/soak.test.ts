/**
 * A day's load in a short time: thousands of runs and hundreds of jobs, with nodes that start and
 * stop in one process. A node releases its memory, files, timers, threads and connections, so that
 * nothing accumulates over the rounds.
 */
import { readdirSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROUNDS = 5
/** Rounds until caches are warm: the resources then are the bound at the end. */
const WARM = 2
const RUNS = 500
const JOBS = 200
const MEMORY_SLACK = 12_000_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

let database: TestDatabase
let sql: pg.Client
beforeAll(async () => {
  database = await migratedDatabase()
  sql = new pg.Client({ connectionString: database.url, application_name: 'observer' })
  await sql.connect()
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

async function connections(): Promise<number> {
  const { rows } = await sql.query(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and application_name like 'punctual%'`,
  )
  return rows[0].n
}

/** The resources of this process. */
function held() {
  for (let i = 0; i < 3; i++) collect()
  const resources = process.getActiveResourcesInfo()
  const count = (kind: RegExp) => resources.filter((name) => kind.test(name)).length
  return {
    memory: process.memoryUsage().heapUsed,
    timers: count(/Timeout|Immediate/),
    sockets: count(/TCP/),
    threads: count(/MessagePort|Worker/),
    files: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
  }
}

/** One life of a node: it runs every waiting run, plans, and stops. */
async function live(): Promise<void> {
  const punctual = await Punctual.start({
    ...{ databaseUrl: database.url, logger: false },
    worker: { leaseMs: 5_000, concurrency: 50 },
  })
  try {
    let ticks = 0
    const echo = punctual.handler('echo', (payload: { n: number }) => payload)
    punctual.handler('tick', () => void ticks++)
    const jobs = Array.from({ length: JOBS }, (_, i) => ({
      ...{ name: `tick-${i}`, handler: 'tick', every: '1s', misfire: 'latest' as const },
    }))
    for (const job of jobs) await punctual.jobs.upsert(job)
    const runs = await echo.submitMany(Array.from({ length: RUNS }, (_, n) => ({ n })))
    for (const run of runs) expect((await punctual.runs.waitFor(run)).state).toBe('succeeded')
    await eventually('jobs run', () => ticks >= JOBS)
  } finally {
    await punctual.stop({ drainMs: 2_000 })
  }
}

it('nodes that start and stop under load leave nothing behind (case 163)', async () => {
  let warm = held()
  for (let round = 1; round <= ROUNDS; round++) {
    await live()
    await eventually('its connections are closed', async () => (await connections()) === 0)
    if (round === WARM) warm = held()
  }
  await eventually('no resource has grown', () => {
    const now = held()
    return (
      now.memory <= warm.memory + MEMORY_SLACK &&
      now.timers <= warm.timers &&
      now.sockets <= warm.sockets &&
      now.threads <= warm.threads &&
      now.files <= warm.files
    )
  }).catch((error) => {
    expect(held(), String(error)).toEqual(warm)
  })
}, 240_000)
