/**
 * The commands of a process that registers jobs, drives a planner or checks the ledger; Punctual
 * only, but for those of the floor of planning.
 */
import pg from 'pg'
import { checkLedger } from '../jobs/check-ledger.mjs'
import { openDriver } from '../jobs/drive-planner.mjs'
import { loadJobs } from '../jobs/load-jobs.mjs'
import { jobPayload } from '../jobs/payload.mjs'
import { makeHotSchedules, makeSchedules } from '../jobs/schedules.mjs'
import { loadFloorJobs, openPlanFloor } from '../plan-floor.mjs'

/** @param {{ mix?: object, hotMs?: number, overlap?: string, each?: object }} kind  which schedules */
function schedulesOf({ mix, hotMs, overlap, each }) {
  if (mix) return makeSchedules(mix)
  return hotMs ? makeHotSchedules(hotMs, overlap) : [each]
}

export function scheduling(state) {
  const { databaseUrl } = state.env
  let driver
  return {
    loadJobs: ({ schedules, ...args }) =>
      loadJobs(databaseUrl, { schedules: schedulesOf(schedules), ...args }),
    checkLedger: ({ schedules, ...args }) =>
      checkLedger(databaseUrl, { schedules: schedulesOf(schedules), ...args }),
    openPlanner: async (clock) => {
      driver = await openDriver(databaseUrl, clock)
    },
    loadFloorJobs: (jobs) =>
      loadFloorJobs(databaseUrl, { ...jobs, payload: JSON.stringify(jobPayload()) }),
    openPlanFloor: async (clock) => {
      driver = await openPlanFloor(databaseUrl, clock)
    },
    plan: (args) => driver.drive(args),
    register: (args) => register(state, args),
    verify: (window) => state.adapter.verify(state.env, window),
    bytesOfJobs: () => bytesOfJobs(databaseUrl),
  }
}

/** Registers jobs through the product's bulk call, in batches. */
async function register({ client }, { count, batchSize, inFlight, schedules, prefix = 'job' }) {
  const list = schedulesOf(schedules)
  const payload = jobPayload()
  const startedAt = performance.now()
  let next = 0
  const lane = async () => {
    while (next < count) {
      const from = next
      next += batchSize
      const size = Math.min(batchSize, count - from)
      const jobs = Array.from({ length: size }, (_, i) => {
        const schedule = list[(from + i) % list.length]
        return { name: `${prefix}-${from + i}`, handler: 'noop', payload, ...schedule }
      })
      await client.upsertJobs(jobs)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return { ms: performance.now() - startedAt }
}

/** The disk space of the jobs and their rows in other tables. */
async function bytesOfJobs(databaseUrl) {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query(
    `select sum(pg_total_relation_size(name::regclass))::float8 as bytes,
       (select count(*) from punctual.cursors)::float8 as jobs
     from unnest(array['punctual.jobs', 'punctual.cursors', 'punctual.timings']) as name`,
  )
  await client.end()
  return rows[0]
}
