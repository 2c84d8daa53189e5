/**
 * Shared by `cron-steady` and `cron-peak`: jobs fire in real time, are planned, claimed and
 * settled.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { below } from '../../lib/bars.mjs'
import { cpuColumns, latencyColumns, latencyJson, number } from '../../lib/cells.mjs'
import { warmUpForJobs, watchCpu } from '../measuring.mjs'

const MINUTE_MS = 60_000
/** From registration to the first slot: the processes start, warm up, and plan ahead. */
const LEAD_MS = 80_000
/** The upper bound for registering, a fixed part and a part per job. */
const LOAD_MS = 10_000
const LOAD_MS_PER_JOB = 0.04
/** After the last slot: a due run has started by then, or is late. */
const TAIL_MS = 3_000

/**
 * @param {import('../../lib/bench.mjs').Bench} bench
 * @param {{ jobs: number, perSecond: number, seconds: number, planners: number, killOne: boolean }} wanted
 */
export function measureCron(bench, system, { jobs, perSecond, seconds, planners, killOne }) {
  return bench.fresh(system, async ({ child }) => {
    const loader = await child()
    const soonMs = Date.now() + LOAD_MS + jobs * LOAD_MS_PER_JOB + LEAD_MS
    // At a full minute: from then on, jobs that are spread over a minute fire evenly.
    const fromMs = Math.ceil(soonMs / MINUTE_MS) * MINUTE_MS
    const untilMs = fromMs + seconds * 1000
    const schedules = { mix: { jobs, perSecond, jitter: bench.options.jitter } }
    await loader.call('loadJobs', { schedules, count: jobs, startMs: fromMs })
    await bench.admin.query('checkpoint')
    const { planning, worker } = await startFleet(child, loader, planners)
    await waitUntil(fromMs - LEAD_MS / 2, 'registering the jobs')
    await waitUntil(fromMs, 'starting the processes')
    const surviving = [worker, ...planning.slice(killOne ? 1 : 0)]
    const cpuUsed = await watchCpu(bench, system, surviving)
    await waitUntil(fromMs + (untilMs - fromMs) / 2)
    if (killOne) planning[0].kill()
    await waitUntil(untilMs)
    const cpu = await cpuUsed()
    await sleep(TAIL_MS)
    const { measured } = await worker.call('jobStarts', { fromMs, untilMs })
    for (const one of planning) one.kill()
    const ledger = await loader.call('checkLedger', { schedules, fromMs, untilMs })
    const proof = await loader.call('verify', { fromMs, untilMs: untilMs - 1 })
    return {
      ...{
        ...measured,
        fires: measured.samples,
        perSecond: Math.round(measured.samples / seconds),
      },
      wantedPerSecond: perSecond,
      ...{ wrong: wrongIn(ledger) + proof.wrong, ledger, proof },
      ...{ ms: seconds * 1000, clients: planners + 1, ...cpu },
    }
  })
}

/** The worker is warm before the first planner creates work for it. */
async function startFleet(child, producer, planners) {
  const worker = await child()
  await worker.call('open', { work: true, roles: ['worker'], profile: 'timed' })
  await warmUpForJobs(producer, worker)
  const planning = []
  for (let n = 0; n < planners; n++) {
    const one = await child()
    await one.call('open', { roles: ['planner', 'reaper', 'janitor'], profile: 'timed' })
    planning.push(one)
  }
  return { planning, worker }
}

async function waitUntil(ms, what) {
  const leftMs = ms - Date.now()
  if (leftMs < 0 && what) throw new Error(`${what} took ${-leftMs} ms too long; use --scale`)
  await sleep(Math.max(0, leftMs))
}

const wrongIn = ({ missing, unexpected, doubled, unfinished }) =>
  missing + unexpected + doubled + unfinished

export const cronColumns = (result) => ({
  'fires/s': number(result.perSecond),
  ...latencyColumns(result),
  early: String(result.early),
  'slots checked': number(result.ledger.owed),
  'missing, double, unfinished': ['missing', 'doubled', 'unfinished']
    .map((key) => result.ledger[key])
    .join(', '),
  verify: result.proof.text,
  ...cpuColumns(result),
})

export const cronJson = ({ perSecond, fires, early, ledger, proof, ...result }) => ({
  ...latencyJson(result),
  ...{ perSecond, fires, early, ledger, verify: proof },
})

/** @param {{ p99Ms: number, maxMs: number }} limits */
export const cronBars = (results, { p99Ms, maxMs }) => [
  below(results, 'p99Ms', p99Ms, 'ms of lateness at p99'),
  below(results, 'maxMs', maxMs, 'ms of lateness at worst'),
  below(
    results,
    'wrong',
    1,
    'slots missing, duplicate, unexpected or unfinished, by the bench and by verify',
  ),
]
