import { setTimeout as sleep } from 'node:timers/promises'
import { fleetHolds } from '../lib/bars.mjs'
import { number } from '../lib/cells.mjs'
import { PEERS } from '../systems/catalogue.mjs'
import { untilCalm, untilHandled, watchCpu } from './measuring.mjs'

const SIZES = [1, 8, 32]
/** Runs become due as densely as a fast submitter would have made them. */
const DUE_PER_MS = 200
const LEAD_MAX_MS = 120_000
/** Untimed runs for each process: a fleet in production does not consist of cold processes. */
const WARM_UP = 2_000

/** @type {import('./index.mjs').Scenario} */
export const fleet = {
  name: 'fleet',
  what: 'drain with 1, 8 and 32 worker processes, all started and warm before the first run is due',
  systems: ['floor', 'punctual', ...PEERS],
  figure: (result) => result.perSecond,
  settings: ['throughput'],
  better: 'higher',
  unit: '/s (32)',
  columns: ({ sizes }) => ({
    ...Object.fromEntries(SIZES.map((size) => [`${size} proc.`, number(sizes[size])])),
    '32 / 8': (sizes[32] / sizes[8]).toFixed(2),
  }),
  json: ({ perSecond, sizes }) => ({ perSecond, sizes }),
  bars: (results) => [fleetHolds(results, 'punctual', 0.7)],

  async measure(bench, system) {
    const sizes = {}
    let last
    for (const size of SIZES) {
      last = await drainWith(bench, system, size)
      sizes[size] = last.perSecond
    }
    return { ...last, sizes }
  },
}

async function drainWith(bench, system, size) {
  const count = bench.count(200_000)
  return bench.fresh(system, async ({ child }) => {
    const workers = []
    for (let i = 0; i < size; i++) workers.push(await child())
    const producer = await child()
    await producer.call('open', { produce: true, profile: 'throughput' })
    const role = { work: true, profile: 'throughput', processes: size }
    await Promise.all(workers.map((worker) => worker.call('open', role)))
    await Promise.all(workers.map((worker) => worker.call('start', { handler: 'counting' })))
    const warmUp = bench.count(WARM_UP) * size
    await producer.call('bulk', { count: warmUp })
    await untilHandled(workers, warmUp)
    await Promise.all(workers.map((worker) => worker.call('lateness')))
    await untilCalm(workers)
    const startAtMs = await fill(producer, workers, count)
    const cpuUsed = await watchCpu(bench, system, workers)
    const { handled, lastAtMs } = await untilHandled(workers, count, { everyMs: 50 })
    const ms = lastAtMs - startAtMs
    return {
      perSecond: Math.round((handled / ms) * 1000),
      ms,
      stranded: count - handled,
      clients: size,
      ...(await cpuUsed()),
    }
  })
}

/** Submits everything before any of it may start. @returns {Promise<number>} when the work began */
async function fill(producer, workers, count) {
  if (await producer.call('canHold')) {
    await producer.call('hold')
    await producer.call('bulk', { count })
    const startAtMs = Date.now()
    await producer.call('release')
    return startAtMs
  }
  for (let leadMs = 2_000 + count / 20; leadMs < LEAD_MAX_MS; leadMs *= 2) {
    const dueFromMs = Date.now() + leadMs
    await producer.call('bulk', { count, dueFromMs, dueSpreadMs: count / DUE_PER_MS })
    if (Date.now() < dueFromMs) {
      await sleep(dueFromMs - Date.now())
      return dueFromMs
    }
    // Filling took longer than expected: finish these runs, then retry with twice the lead time.
    await untilHandled(workers, count)
    await Promise.all(workers.map((worker) => worker.call('lateness')))
  }
  throw new Error(`${producer.system}: could not submit ${count} runs in ${LEAD_MAX_MS} ms`)
}
