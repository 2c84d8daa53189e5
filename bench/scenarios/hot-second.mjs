import { setTimeout as sleep } from 'node:timers/promises'
import { below } from '../lib/bars.mjs'
import { milliseconds, number } from '../lib/cells.mjs'
import { round } from '../lib/quantiles.mjs'
import { drain } from './drain.mjs'
import { warmUpForJobs } from './measuring.mjs'

const JOBS = 100_000
const LEAD_MS = 45_000
/** The other tenant: this many jobs that fire every second, each at its own millisecond. */
const NEIGHBOUR_JOBS = 500
const NEIGHBOUR_LEAD_MS = 12_000
/**
 * The required share of the rate of `drain`, allowing for noise, and of plain runs under the same
 * load.
 */
const SHARE = 0.8
const NEIGHBOUR_MS = 10
const GIVE_UP_MS = 60_000

/** @type {import('./index.mjs').Scenario} */
export const hotSecond = {
  name: 'hot-second',
  what: '100,000 jobs due in the same second, while another tenant has 500 runs a second',
  systems: ['punctual'],
  figure: (result) => result.perSecond,
  settings: ['cron'],
  better: 'higher',
  unit: '/s',
  columns: (result) => ({
    'first start ms': milliseconds(result.firstMs),
    'all started ms': number(result.allMs),
    'plain runs instead': `${number(result.plainPerSecond)}/s, ${result.ofPlain.toFixed(2)} of it`,
    'of drain, alone': `${number(result.drainPerSecond)}/s, ${result.ofDrain.toFixed(2)} of it`,
    'without overlap': `${number(result.exclusivePerSecond)}/s`,
    'planned late': String(result.plannedLate),
    'other tenant p99 ms, meanwhile': milliseconds(result.neighbourP99Ms),
    before: milliseconds(result.beforeP99Ms),
  }),
  json: (result) => ({
    ...{ firstMs: result.firstMs, perSecond: result.perSecond, ofPlain: result.ofPlain },
    ...{ exclusivePerSecond: result.exclusivePerSecond, plainPerSecond: result.plainPerSecond },
    ...{
      ofDrain: result.ofDrain,
      drainPerSecond: result.drainPerSecond,
      plannedLate: result.plannedLate,
    },
    ...{
      neighbourP99Ms: result.neighbourP99Ms,
      beforeP99Ms: result.beforeP99Ms,
      allMs: result.allMs,
    },
  }),
  bars: (results) => [
    below(results, 'firstMs', 50, 'ms until the first starts'),
    below(results, 'plannedLate', 1, 'slots planned after their time'),
    {
      rule: `drains at ${SHARE} x the rate of \`drain\` or more`,
      value: results.punctual ? `${results.punctual.ofDrain} x` : 'not run',
      pass: results.punctual ? results.punctual.ofDrain >= SHARE : null,
    },
    {
      rule: `drains at ${SHARE} x the rate of plain runs or more, with the same other tenant`,
      value: results.punctual ? `${results.punctual.ofPlain} x` : 'not run',
      pass: results.punctual ? results.punctual.ofPlain >= SHARE : null,
    },
    {
      rule: `p99 of the other tenant at most ${NEIGHBOUR_MS} ms above its p99 before`,
      value: results.punctual
        ? `${results.punctual.neighbourP99Ms} ms, ${results.punctual.beforeP99Ms} ms before`
        : 'not run',
      pass: results.punctual
        ? results.punctual.neighbourP99Ms <= results.punctual.beforeP99Ms + NEIGHBOUR_MS
        : null,
    },
  ],

  async measure(bench, system) {
    const count = bench.count(JOBS)
    const exclusive = await measureHot(bench, system, count, {})
    const plain = await measureHot(bench, system, count, { plain: true })
    // Before and after: the speed of a shared machine changes within minutes.
    const before = await drain.measure(bench, system)
    const hot = await measureHot(bench, system, count, { overlap: 'allow' })
    const after = await drain.measure(bench, system)
    const drainPerSecond = Math.round((before.perSecond + after.perSecond) / 2)
    return {
      ...hot,
      firstMs: Math.max(hot.firstMs, exclusive.firstMs),
      plannedLate: hot.plannedLate + exclusive.plannedLate,
      ofPlain: round(hot.perSecond / plain.perSecond),
      plainPerSecond: plain.perSecond,
      ofDrain: round(hot.perSecond / drainPerSecond),
      drainPerSecond,
      exclusivePerSecond: exclusive.perSecond,
    }
  },
}

/**
 * By default the runs of one job do not overlap, so each takes and releases its job; plain runs
 * need not. `plain`: the same number of submitted runs that are due in that second, instead of
 * jobs.
 */
function measureHot(bench, system, count, { overlap, plain = false }) {
  return bench.fresh(system, async ({ child }) => {
    const loader = await child()
    const hotMs = Math.ceil((Date.now() + LEAD_MS) / 1000) * 1000
    const neighbourMs = hotMs - NEIGHBOUR_LEAD_MS
    const hot = { hotMs, overlap }
    const each = { cron: '* * * * * *', timezone: 'UTC', jitterMs: 1_000, overlap: 'allow' }
    if (!plain) await loader.call('loadJobs', { schedules: hot, count, startMs: hotMs - 1 })
    await loader.call('loadJobs', {
      ...{ schedules: { each }, count: NEIGHBOUR_JOBS, startMs: neighbourMs, tenant: 'neighbour' },
      ...{ payload: { neighbour: true }, indexesLater: false },
    })
    const [planner, worker] = [await child(), await child()]
    await worker.call('open', { work: true, roles: ['worker'], profile: 'throughput' })
    await warmUpForJobs(loader, worker)
    await planner.call('open', { roles: ['planner', 'reaper', 'janitor'], profile: 'timed' })
    if (plain) await loader.call('bulk', { count, dueFromMs: hotMs })
    const leftMs = hotMs - Date.now()
    if (leftMs < NEIGHBOUR_LEAD_MS) throw new Error('registering the jobs took too long')
    await sleep(leftMs)
    const window = { fromMs: hotMs, untilMs: hotMs + 1 }
    for (let waitedMs = 0; waitedMs < GIVE_UP_MS; waitedMs += 100) {
      if ((await worker.call('jobCount', window)) >= count) break
      await sleep(100)
    }
    const { measured } = await worker.call('jobStarts', window)
    if (measured.samples < count)
      throw new Error(`${count - measured.samples} of ${count} did not start`)
    const during = await worker.call('jobStarts', { fromMs: hotMs, untilMs: measured.lastAtMs })
    const before = await worker.call('jobStarts', { fromMs: neighbourMs + 2_000, untilMs: hotMs })
    const ledger = plain
      ? { missing: 0, doubled: 0, unfinished: 0, planned_late: 0 }
      : await loader.call('checkLedger', { schedules: hot, fromMs: hotMs, untilMs: hotMs + 1 })
    if (ledger.missing + ledger.doubled + ledger.unfinished > 0)
      throw new Error(`the ledger is wrong: ${JSON.stringify(ledger)}`)
    return {
      firstMs: round(measured.firstAtMs - hotMs),
      allMs: round(measured.lastAtMs - hotMs),
      perSecond: Math.round((count / (measured.lastAtMs - hotMs)) * 1000),
      plannedLate: ledger.planned_late,
      ...{ neighbourP99Ms: during.neighbour.p99Ms, beforeP99Ms: before.neighbour.p99Ms },
    }
  })
}
