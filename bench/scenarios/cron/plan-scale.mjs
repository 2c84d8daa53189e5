import { SERVER_FOR_JOBS } from '../../jobs/server.mjs'
import { atMost, reaches } from '../../lib/bars.mjs'
import { number } from '../../lib/cells.mjs'
import { round } from '../../lib/quantiles.mjs'
import { watchCpu } from '../measuring.mjs'

const FEW = 100_000
const MANY = 10_000_000
/**
 * Planned before the measurement: afterwards most schedules are parsed and the compiler is warm.
 */
const WARM_UP = 200_000
const SLOTS = 500_000
/** Every job fires about once in this time, regardless of the number of jobs. */
const PERIOD_S = 1_000
/**
 * The planner's clock advances by the time that yields this many slots, so that its batches are
 * full in both cases, and by less than the interval between two fires of a job: a visit plans one
 * slot.
 */
const SLOTS_PER_STEP = 6_000
const HOUR_MS = 3_600_000
/** The rate required of one core. The planner is not throttled to it, so that it may use more. */
const WANTED_PER_SECOND = 10_000

/** @type {import('../index.mjs').Scenario} */
export const planScale = {
  name: 'plan-scale',
  what: 'slots planned and queued by one planner at full speed, with 10 million jobs and with 100,000',
  systems: ['floor', 'punctual'],
  figure: (result) => result.slotsPerSecond,
  server: SERVER_FOR_JOBS,
  settings: ['plan'],
  better: 'higher',
  unit: ' slots/s',
  columns: (result) => ({
    'cores used': result.coresUsed.toFixed(2),
    'for 10,000/s': result.coresFor10000.toFixed(2),
    'us/slot, 10 million': `${result.many.server} + ${result.many.client}`,
    'us/slot, 100,000': `${result.few.server} + ${result.few.client}`,
    'bytes/job': result.bytesPerJob === null ? '' : number(result.bytesPerJob),
  }),
  json: ({ costRatio, slotsPerSecond, coresUsed, coresFor10000, bytesPerJob, many, few }) => ({
    ...{ costRatio, slotsPerSecond, coresUsed, coresFor10000, bytesPerJob },
    usPerSlot: { many: usOf(many), few: usOf(few) },
  }),
  bars: (results) => [
    atMost(results, 'costRatio', 1.2, 'x the CPU of a slot with 100,000 jobs'),
    atMost(results, 'usPerSlot', 50, 'us of CPU for a slot with 10 million jobs'),
    reaches(results, 'slotsPerSecond', WANTED_PER_SECOND, 'slots a second'),
    atMost(
      results,
      'coresFor10000',
      1,
      'core for 10,000 slots a second, server and client together',
    ),
  ],

  async measure(bench, system) {
    const few = await planWith(bench, system, FEW)
    const many = await planWith(bench, system, bench.count(MANY))
    return {
      costRatio: round((many.server + many.client) / (few.server + few.client)),
      ...{ slotsPerSecond: many.perSecond, coresUsed: many.cores, bytesPerJob: many.bytesPerJob },
      usPerSlot: round(many.server + many.client),
      coresFor10000: round((many.cores * WANTED_PER_SECOND) / many.perSecond),
      ...{ many, few, ms: many.ms, serverCpuMs: many.serverCpuMs, clientCpuMs: many.clientCpuMs },
      otherCpuMs: many.otherCpuMs,
    }
  },
}

const usOf = ({ server, client }) => ({ server, client })

function planWith(bench, system, jobs) {
  return bench.fresh(system, async ({ child }) => {
    const planner = await child()
    const startMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS
    const bytes = await (system === 'floor' ? openFloor : openPunctual)(planner, jobs, startMs)
    await bench.admin.query('checkpoint')
    await planner.call('plan', { count: bench.count(WARM_UP) })
    const cpuUsed = await watchCpu(bench, system, [planner])
    const { slots, ms } = await planner.call('plan', { count: bench.count(SLOTS) })
    const { serverCpuMs, clientCpuMs, otherCpuMs } = await cpuUsed()
    if (serverCpuMs === null)
      throw new Error("the server's CPU is not visible, but the scenario measures it")
    const usPerSlot = (cpuMs) => round((cpuMs * 1000) / slots)
    return {
      ...{ server: usPerSlot(serverCpuMs), client: usPerSlot(clientCpuMs) },
      ...{
        perSecond: Math.round((slots / ms) * 1000),
        cores: round((serverCpuMs + clientCpuMs) / ms),
      },
      ...{
        bytesPerJob: bytes === null ? null : Math.round(bytes / jobs),
        ms,
        serverCpuMs,
        clientCpuMs,
        otherCpuMs,
      },
    }
  })
}

const stepMsOf = (perSecond) => Math.ceil((SLOTS_PER_STEP / perSecond) * 1000)

/** Registers the jobs and opens a planner; returns the size of the jobs in bytes. */
async function openPunctual(planner, jobs, startMs) {
  const perSecond = jobs / PERIOD_S
  await planner.call('loadJobs', { schedules: { mix: { jobs, perSecond } }, count: jobs, startMs })
  const { bytes } = await planner.call('bytesOfJobs')
  await planner.call('openPlanner', { startMs, stepMs: stepMsOf(perSecond) })
  return bytes
}

async function openFloor(planner, count, startMs) {
  const periodMs = PERIOD_S * 1_000
  await planner.call('loadFloorJobs', { count, startMs, periodMs })
  await planner.call('openPlanFloor', { startMs, stepMs: stepMsOf(count / PERIOD_S), periodMs })
  return null
}
