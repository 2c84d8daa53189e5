import { setTimeout as sleep } from 'node:timers/promises'
import { below } from '../../lib/bars.mjs'
import { milliseconds, number } from '../../lib/cells.mjs'
import { round } from '../../lib/quantiles.mjs'
import { warmUpForJobs } from '../measuring.mjs'

const PER_SECOND = { once: 300, cron: 200 }
const PHASE_S = 30
/** How much later than alone the runs may start together. */
const SHARE = 1.2
/** From the call that submits or registers to the first due run: planners plan ahead by 2 s. */
const LEAD_MS = 6_000
/** After the last due run: it has started by then, or is late. */
const TAIL_MS = 2_000

/** @type {import('../index.mjs').Scenario} */
export const mix = {
  name: 'mix',
  what: '300 one-time runs and 200 cron runs a second: each alone, then together',
  systems: ['punctual'],
  figure: (result) => result.together.p99Ms,
  settings: ['timed'],
  better: 'lower',
  unit: ' ms p99 together',
  columns: (result) => ({
    'p50 ms': milliseconds(result.together.p50Ms),
    'one-time alone p99 ms': milliseconds(result.once.p99Ms),
    'cron alone p99 ms': milliseconds(result.cron.p99Ms),
    runs: number(result.together.samples),
    verify: result.proof.text,
  }),
  json: ({ once, cron, together, ratio, missing, proof }) => ({
    ...{ once, cron, together, ratio, missing, verify: proof },
  }),
  bars: (results) => [
    below(results, 'ratio', SHARE, 'x the p99 of the worse of the two alone'),
    below(results, 'missing', 1, 'runs that did not start'),
    below(results, 'wrong', 1, 'findings of verify'),
  ],

  measure(bench, system) {
    const seconds = Math.max(5, Math.round(PHASE_S * bench.options.scale))
    return bench.fresh(system, async ({ child }) => {
      const [producer, worker, planner] = [await child(), await child(), await child()]
      await worker.call('open', { work: true, roles: ['worker'], profile: 'timed' })
      await warmUpForJobs(producer, worker)
      await planner.call('open', { roles: ['planner', 'reaper', 'janitor'], profile: 'timed' })
      const phase = phaseOf(seconds)
      const once = await phase(worker, PER_SECOND.once, (window) => submitOnce(producer, window))
      const cronEndMs = Date.now() + 2 * (LEAD_MS + seconds * 1_000 + TAIL_MS) + 10_000
      const cron = await phase(worker, PER_SECOND.cron, () => registerCron(producer, cronEndMs))
      const both = PER_SECOND.once + PER_SECOND.cron
      const together = await phase(worker, both, (window) => submitOnce(producer, window))
      const window = { fromMs: cron.fromMs, untilMs: together.untilMs - 1 }
      const proof = await producer.call('verify', window)
      return {
        ...{ once, cron, together, proof, wrong: proof.wrong },
        ratio: round(together.p99Ms / Math.max(once.p99Ms, cron.p99Ms)),
        missing: once.missing + cron.missing + together.missing,
      }
    })
  },
}

/** Prepares the runs of a window of whole seconds, waits for its end, and reads what started. */
function phaseOf(seconds) {
  return async (worker, perSecond, prepare) => {
    const fromMs = Math.ceil((Date.now() + LEAD_MS) / 1_000) * 1_000
    const untilMs = fromMs + seconds * 1_000
    await prepare({ fromMs, seconds })
    if (Date.now() > fromMs) throw new Error('preparing the runs took too long; use --scale')
    await sleep(untilMs + TAIL_MS - Date.now())
    const { measured } = await worker.call('jobStarts', { fromMs, untilMs })
    const { p50Ms, p99Ms, maxMs, samples } = measured
    return { p50Ms, p99Ms, maxMs, samples, missing: perSecond * seconds - samples, fromMs, untilMs }
  }
}

function submitOnce(producer, { fromMs, seconds }) {
  const due = { dueFromMs: fromMs, dueSpreadMs: seconds * 1_000, shuffled: true }
  return producer.call('bulk', { count: PER_SECOND.once * seconds, ...due })
}

/** Jobs that fire every second, each at its own millisecond of it. */
function registerCron(producer, endMs) {
  const each = { cron: '* * * * * *', jitterMs: 999, endAt: new Date(endMs).toISOString() }
  const batch = { count: PER_SECOND.cron, batchSize: PER_SECOND.cron, inFlight: 1 }
  return producer.call('register', { ...batch, schedules: { each }, prefix: 'mix' })
}
