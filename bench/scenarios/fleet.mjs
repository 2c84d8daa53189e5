import { setTimeout as sleep } from 'node:timers/promises'
import { fleetHolds } from '../lib/bars.mjs'
import { number } from '../lib/cells.mjs'
import { PEERS } from '../systems/catalogue.mjs'
import { untilHandled, watchCpu } from './measuring.mjs'

const SIZES = [1, 8, 32]
/** Runs become due as densely as a fast submitter would have made them. */
const DUE_PER_MS = 200

/** @type {import('./index.mjs').Scenario} */
export const fleet = {
  name: 'fleet',
  what: 'drain with 1, 8 and 32 worker processes, all of them up before the first run is due',
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

async function drainWith(bench, system, size, patience = 1) {
  const count = bench.count(200_000)
  const leadMs = 2_000 + (count / 20) * patience
  const result = await bench.fresh(system, async ({ child }) => {
    const workers = []
    for (let i = 0; i < size; i++) workers.push(await child())
    const producer = await child()
    await producer.call('open', { produce: true, profile: 'throughput' })
    const role = { work: true, profile: 'throughput', processes: size }
    await Promise.all(workers.map((worker) => worker.call('open', role)))
    await Promise.all(workers.map((w) => w.call('start', { handler: 'counting' })))
    const startAtMs = await fill(producer, count, leadMs)
    if (startAtMs === undefined) return undefined
    const cpuUsed = await watchCpu(bench, system, workers)
    const { handled, lastAtMs } = await untilHandled(workers, count, { everyMs: 50 })
    const ms = lastAtMs - startAtMs
    return {
      perSecond: Math.round((handled / ms) * 1000),
      ms,
      stranded: count - handled,
      ...(await cpuUsed()),
    }
  })
  return result ?? drainWith(bench, system, size, patience * 2)
}

/**
 * Submits everything before any of it may start.
 * @returns {Promise<number | undefined>} when the work began; undefined when filling took too long
 */
async function fill(producer, count, leadMs) {
  if (await producer.call('canHold')) {
    await producer.call('hold')
    await producer.call('bulk', { count })
    const startAtMs = Date.now()
    await producer.call('release')
    return startAtMs
  }
  const dueFromMs = Date.now() + leadMs
  await producer.call('bulk', { count, dueFromMs, dueSpreadMs: count / DUE_PER_MS })
  if (Date.now() > dueFromMs) return undefined
  await sleep(dueFromMs - Date.now())
  return dueFromMs
}
