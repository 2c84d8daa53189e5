import { setTimeout as sleep } from 'node:timers/promises'
import { milliseconds, number } from '../lib/cells.mjs'
import { quantiles, round } from '../lib/quantiles.mjs'
import { untilCalm, untilHandled } from './measuring.mjs'

const NOISE = 1_000_000
const PER_SECOND = 10
const SECONDS = 10
const WARM_UP = 20_000
/** The small tenant's p99 may be at most twice its value alone, or 20 ms more. */
const FACTOR = 2
const MORE_MS = 20

/** @type {import('./index.mjs').Scenario} */
export const noisyNeighbour = {
  name: 'noisy-neighbour',
  what: 'a tenant with a million due runs and one that submits ten a second: the lateness of the small one',
  systems: ['punctual'],
  figure: (result) => result.p99Ms,
  settings: ['throughput'],
  better: 'lower',
  unit: ' ms',
  columns: (result) => ({
    'p50 ms loaded': milliseconds(result.p50Ms),
    'max ms loaded': milliseconds(result.maxMs),
    'alone: p50 ms': milliseconds(result.alone.p50Ms),
    'p99 ms alone': milliseconds(result.alone.p99Ms),
    'runs of the large one meanwhile': `${number(result.noisePerSecond)}/s`,
    'bare commit: p99 ms loaded': milliseconds(result.commitP99Ms),
    'bare commit: p99 ms alone': milliseconds(result.alone.commitP99Ms),
  }),
  json: ({ p50Ms, p99Ms, maxMs, alone, noisePerSecond, commitP99Ms }) => ({
    ...{ p50Ms, p99Ms, maxMs, aloneP50Ms: alone.p50Ms, aloneP99Ms: alone.p99Ms, noisePerSecond },
    ...{ commitP99Ms, aloneCommitP99Ms: alone.commitP99Ms },
  }),
  bars: ({ punctual }) => [
    {
      rule: `p99 at most ${FACTOR} x that of the small one alone, or ${MORE_MS} ms more`,
      value: punctual ? `${punctual.p99Ms} ms loaded, ${punctual.alone.p99Ms} ms alone` : 'not run',
      pass: punctual ? punctual.p99Ms <= bound(punctual.alone.p99Ms) : null,
    },
  ],

  measure(bench, system) {
    return bench.fresh(system, async ({ child, analyze }) => {
      const [loud, quiet, worker] = [await child(), await child(), await child()]
      await loud.call('open', { produce: true, profile: 'throughput', connections: 4 })
      await quiet.call('open', { produce: true, profile: 'throughput', tenant: 'quiet' })
      await worker.call('open', { work: true, profile: 'throughput' })
      await worker.call('start', { handler: 'fromSubmit' })
      await loud.call('bulk', { count: WARM_UP })
      await untilHandled([worker], WARM_UP)
      await untilCalm([worker])
      await worker.call('lateness')
      const alone = await latenessOf(bench, quiet, worker)
      await worker.call('close')
      const count = bench.count(NOISE)
      await loud.call('bulk', { count })
      await analyze()
      await worker.call('open', { work: true, profile: 'throughput' })
      await worker.call('start', { handler: 'fromSubmit' })
      // Excludes the worker's start-up, which would delay the small tenant alone as well.
      await sleep(1_000)
      await worker.call('lateness')
      const from = performance.now()
      const loaded = await latenessOf(bench, quiet, worker)
      const noisePerSecond = (loaded.handled / (performance.now() - from)) * 1_000
      return { ...loaded, alone, noisePerSecond: Math.round(noisePerSecond) }
    })
  },
}

const bound = (aloneMs) => Math.max(FACTOR * aloneMs, aloneMs + MORE_MS)

/** Also commits equally often without any jobs: that shows what disk and processors allow. */
async function latenessOf(bench, quiet, worker) {
  const over = new AbortController()
  const commits = bareCommits(bench.admin, over.signal)
  await quiet.call('paced', { perSecond: PER_SECOND, seconds: SECONDS })
  over.abort()
  const commitP99Ms = round(quantiles(await commits).p99Ms)
  await sleep(500)
  const { handled } = await worker.call('progress')
  const { p50Ms, p99Ms, maxMs } = quantiles(await worker.call('lateness'))
  return {
    ...{ p50Ms: round(p50Ms), p99Ms: round(p99Ms), maxMs: round(maxMs), commitP99Ms, handled },
  }
}

async function bareCommits(admin, signal) {
  const tookMs = []
  while (!signal.aborted) {
    const from = performance.now()
    await admin.query("select pg_logical_emit_message(true, 'bench', 'x')")
    tookMs.push(performance.now() - from)
    await sleep(1_000 / PER_SECOND)
  }
  return tookMs
}
