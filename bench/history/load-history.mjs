/**
 * Writes millions of ended runs and some live ones directly into the day partitions: a shortcut
 * that takes minutes. It writes the same rows as submitting, claiming and settling: runs, outcomes,
 * attempts, dead letters, counters, and a backlog with its leases. Every load is the same except
 * for today's date.
 *
 * Yesterday is the large day. The other runs are spread evenly over the other days.
 */
import pg from 'pg'
import { insertLanes, registerJobs } from './history-jobs.mjs'
import { dayName, FILL_LIVE, FILL_SUMS, fillDay } from './history-rows.mjs'

const PARTITIONS = new URL('../../packages/store/dist/schema/partitions.js', import.meta.url)
const DAY_MS = 86_400_000
/** The partitioned tables that a day of history fills. */
const FILLED = ['runs', 'outcomes', 'attempts']

/** @typedef {{ runs?: number, days?: number, largeDay?: number, live?: number, jobs?: number }} HistoryOptions */

/**
 * @param {string} databaseUrl  a database with the schema
 * @param {HistoryOptions} options  `largeDay`: the number of yesterday's runs; `live`: of live runs
 * @returns {Promise<{ ms: number, runs: number, yesterday: number }>}
 */
export async function loadHistory(databaseUrl, options = {}) {
  const { runs = 10_000_000, days = 30, largeDay = runs * 0.4, live = runs / 200 } = options
  const { jobs = 200 } = options
  const startedAt = performance.now()
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query(
      "set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '512MB'; set jit = off",
    )
    await registerJobs(databaseUrl, jobs)
    await insertLanes(client)
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
    const each = Math.round((runs - largeDay) / (days - 1))
    for (let back = days; back >= 1; back--) {
      const dayMs = today - back * DAY_MS
      const count = back === 1 ? largeDay : each
      await makeBareDay(client, dayMs)
      for (const statement of fillDay(dayMs, Math.round(count), back * 100_000_000))
        await client.query(statement)
      await attachDay(client, dayMs)
    }
    await client.query(FILL_LIVE(today, Math.round(live)))
    for (const statement of FILL_SUMS) await client.query(statement)
    await client.query('vacuum (analyze)')
  } finally {
    await client.end()
  }
  return { ms: performance.now() - startedAt, runs, yesterday: largeDay }
}

/** Creates a day without indexes, which are built after the rows; an existing day is recreated. */
async function makeBareDay(client, dayMs) {
  const { dayTables } = await import(PARTITIONS.href)
  const day = dayName(dayMs)
  for (const table of dayTables) await client.query(`drop table if exists punctual.${table}_${day}`)
  for (const table of FILLED)
    await client.query(
      `create table punctual.${table}_${day} (like punctual.${table} including defaults including constraints)`,
    )
}

/** Attaches the day with the indexes of its parent. */
async function attachDay(client, dayMs) {
  const { ensureDay } = await import(PARTITIONS.href)
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  await ensureDay(client, 'punctual', dayMs, pause)
}
