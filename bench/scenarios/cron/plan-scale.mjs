import { SERVER_FOR_JOBS } from '../../jobs/server.mjs'
import { atMost, reaches } from '../../lib/bars.mjs'
import { number } from '../../lib/cells.mjs'
import { round } from '../../lib/quantiles.mjs'
import { watchCpu } from '../measuring.mjs'

const FEW = 100_000
const MANY = 10_000_000
/** Planned before the clock starts: by then most schedules have been read, and the compiler is warm. */
const WARM_UP = 200_000
const SLOTS = 500_000
/** Every job fires once in about so long, whatever their number. */
const PERIOD_S = 1_000
/**
 * The planner's clock moves on by as much as gives so many slots, so that its batches are full in both, and by less
 * than jobs wait between two fires: a visit is for one slot.
 */
const SLOTS_PER_STEP = 6_000
const HOUR_MS = 3_600_000
/** What has to be planned with one core; the planner is not slowed down to it, so that it may use more for more. */
const WANTED_PER_SECOND = 10_000

/** @type {import('../index.mjs').Scenario} */
export const planScale = {
  name: 'plan-scale',
  what: 'slots planned and queued as fast as one planner goes, with 10 million jobs registered and with 100,000',
  systems: ['punctual'],
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
    'bytes/job': number(result.bytesPerJob),
  }),
  json: ({ costRatio, slotsPerSecond, coresUsed, coresFor10000, bytesPerJob, many, few }) => ({
    ...{ costRatio, slotsPerSecond, coresUsed, coresFor10000, bytesPerJob },
    usPerSlot: { many: usOf(many), few: usOf(few) },
  }),
  bars: (results) => [
    atMost(results, 'costRatio', 1.3, 'x the CPU of a slot with 100,000 jobs'),
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
    const perSecond = jobs / PERIOD_S
    await planner.call('loadJobs', {
      schedules: { mix: { jobs, perSecond } },
      count: jobs,
      startMs,
    })
    const { bytes } = await planner.call('bytesOfJobs')
    const stepMs = Math.ceil((SLOTS_PER_STEP / perSecond) * 1000)
    await planner.call('openPlanner', { startMs, stepMs })
    await bench.admin.query('checkpoint')
    await planner.call('plan', { count: bench.count(WARM_UP) })
    const cpuUsed = await watchCpu(bench, system, [planner])
    const { slots, ms } = await planner.call('plan', { count: bench.count(SLOTS) })
    const { serverCpuMs, clientCpuMs, otherCpuMs } = await cpuUsed()
    if (serverCpuMs === null)
      throw new Error("the server's CPU is not visible, and it is the figure")
    const usPerSlot = (cpuMs) => round((cpuMs * 1000) / slots)
    return {
      ...{ server: usPerSlot(serverCpuMs), client: usPerSlot(clientCpuMs) },
      ...{
        perSecond: Math.round((slots / ms) * 1000),
        cores: round((serverCpuMs + clientCpuMs) / ms),
      },
      ...{ bytesPerJob: Math.round(bytes / jobs), ms, serverCpuMs, clientCpuMs, otherCpuMs },
    }
  })
}
