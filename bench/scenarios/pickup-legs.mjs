import { setTimeout as sleep } from 'node:timers/promises'
import { shown } from '../lib/bars.mjs'
import { milliseconds } from '../lib/cells.mjs'
import { quantiles, round } from '../lib/quantiles.mjs'
import { nextPick } from './pickup.mjs'

const WARM_UP = 50
const PAUSE_MAX_MS = 20

/** The legs in their order; each ends at the first event of this name after the leg before. */
const LEGS = [
  ['submission sent', 'producer', /^sent submit\//],
  ['committed', 'producer', /^answered submit\//],
  ['hint received', 'worker', /^notified$/],
  ['claim sent', 'worker', /^sent work\/claim/],
  ['claim answered', 'worker', /^answered work\/claim/],
]

/** @type {import('./index.mjs').Scenario} */
export const pickupLegs = {
  name: 'pickup-legs',
  what: 'where the time of a pickup between two processes goes, medians of 500',
  systems: ['punctual'],
  figure: (result) => result.p50Ms,
  settings: ['latency'],
  better: 'lower',
  unit: ' ms',
  columns: ({ legs }) =>
    Object.fromEntries(legs.map(({ leg, p50Ms }) => [leg, milliseconds(p50Ms)])),
  json: ({ p50Ms, p99Ms, legs }) => ({ p50Ms, p99Ms, legs }),
  bars: (results) => [shown(results, 'the legs')],

  async measure(bench, system) {
    const samples = await bench.fresh(system, async ({ child }) => {
      const [producer, worker] = [await child(), await child()]
      await producer.call('trace')
      await worker.call('trace')
      await producer.call('open', { produce: true, profile: 'latency' })
      await worker.call('open', { work: true, profile: 'latency' })
      await worker.call('start', { handler: 'picked' })
      return trace(producer, worker, bench.count(500))
    })
    const legs = [...LEGS.map(([leg]) => leg), 'handler started'].map((leg, n) => ({
      leg,
      p50Ms: round(quantiles(samples.map(({ ms }) => ms[n])).p50Ms),
    }))
    return { ...quantiles(samples.map(({ totalMs }) => totalMs)), legs }
  },
}

async function trace(producer, worker, count) {
  const samples = []
  for (let n = 0; n < WARM_UP + count; n++) {
    await Promise.all([producer.call('traced'), worker.call('traced')])
    const picked = nextPick(worker)
    await producer.call('one', { n })
    const { ms: totalMs, at } = await picked
    const seen = { producer: await producer.call('traced'), worker: await worker.call('traced') }
    const ms = legsOf(seen, at, at + totalMs)
    if (n >= WARM_UP && ms) samples.push({ totalMs, ms })
    await sleep(1 + Math.random() * PAUSE_MAX_MS)
  }
  return samples
}

/** The time of each leg; null when a claim found the run without a hint. */
function legsOf(seen, startedAt, handledAt) {
  const ms = []
  let last = startedAt
  for (const [, process, pattern] of LEGS) {
    // The hint may arrive before the answer to the submission: that leg then takes less than 0.
    const from = pattern.source === '^notified$' ? startedAt : last
    const event = seen[process].find(({ what, at }) => at >= from && pattern.test(what))
    if (!event) return null
    ms.push(event.at - last)
    last = event.at
  }
  return [...ms, handledAt - last]
}
