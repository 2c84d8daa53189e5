import { milliseconds, number } from '../../lib/cells.mjs'
import { round } from '../../lib/quantiles.mjs'
import { submitAndDrain } from '../measuring.mjs'

const RUNS = 100_000
const WARM_UP = 10_000
const SINGLES = 20_000
/** The required shares of the library path in the same run. */
const BULK_SHARE = 0.7
const WORK_SHARE = 0.7

const perSecond = (count, { ms }) => Math.round((count / ms) * 1_000)

/** @type {import('../index.mjs').Scenario} */
export const api = {
  name: 'api',
  what: 'HTTP compared with the library: bulk submissions, runs through a remote worker, single submissions',
  systems: ['punctual'],
  figure: (result) => result.bulkPerSecond,
  settings: ['throughput'],
  better: 'higher',
  unit: '/s submitted in bulk over HTTP',
  columns: (result) => ({
    'library: bulk': `${number(result.libraryBulkPerSecond)}/s`,
    'HTTP: work': `${number(result.workPerSecond)}/s`,
    'library: work': `${number(result.libraryWorkPerSecond)}/s`,
    'HTTP: single, 64 in flight': `${number(result.single.perSecond)}/s`,
    'p50 / p99 ms': `${milliseconds(result.single.p50Ms)} / ${milliseconds(result.single.p99Ms)}`,
    'alone: p50 / p99 ms': `${milliseconds(result.alone.p50Ms)} / ${milliseconds(result.alone.p99Ms)}`,
  }),
  json: ({
    bulkPerSecond,
    libraryBulkPerSecond,
    workPerSecond,
    libraryWorkPerSecond,
    single,
    alone,
  }) => ({
    ...{ bulkPerSecond, libraryBulkPerSecond, workPerSecond, libraryWorkPerSecond, single, alone },
  }),
  bars: ({ punctual: result }) => [
    share('bulk submission', BULK_SHARE, result?.bulkPerSecond, result?.libraryBulkPerSecond),
    share(
      'remote claim and settle',
      WORK_SHARE,
      result?.workPerSecond,
      result?.libraryWorkPerSecond,
    ),
  ],

  measure(bench, system) {
    return bench.fresh(system, async ({ child, analyze }) => {
      const [node, producer, sender, worker, remote] = await Promise.all(
        Array.from({ length: 5 }, () => child()),
      )
      const count = bench.count(RUNS)
      const server = await node.call('serve')
      await producer.call('open', { produce: true, profile: 'throughput' })
      await sender.call('open', { server })
      const local = { producer, worker, analyze }
      await submitAndDrain(bench, system, local, WARM_UP)
      await overHttp(sender, remote, server, WARM_UP)
      const library = await libraryPart(local, count)
      const http = await overHttp(sender, remote, server, count)
      const alone = await sender.call('each', { count: bench.count(2_000), inFlight: 1 })
      const single = await sender.call('each', { count: bench.count(SINGLES), inFlight: 64 })
      return {
        bulkPerSecond: perSecond(count, http.bulk),
        libraryBulkPerSecond: perSecond(count, library.bulk),
        workPerSecond: perSecond(count, http.work),
        libraryWorkPerSecond: perSecond(count, library.work),
        single: latencies(single),
        alone: latencies(alone),
      }
    })
  },
}

async function libraryPart({ producer, worker, analyze }, count) {
  const bulk = await producer.call('bulk', { count })
  await analyze()
  await worker.call('open', { work: true, profile: 'throughput' })
  const work = await worker.call('drain', { count })
  await worker.call('close')
  return { bulk, work }
}

async function overHttp(sender, remote, server, count) {
  const bulk = await sender.call('bulk', { count })
  await remote.call('open', { server })
  const work = await remote.call('drain', { count })
  await remote.call('close')
  return { bulk, work }
}

const latencies = ({ perSecond: rate, p50Ms, p99Ms }) => ({
  ...{ perSecond: Math.round(rate), p50Ms: round(p50Ms), p99Ms: round(p99Ms) },
})

function share(what, least, ours, library) {
  const rule = `${what} >= ${least} x the library`
  if (!ours || !library) return { rule, value: 'not run', pass: null }
  const ratio = ours / library
  return { rule, value: `${ratio.toFixed(2)} x`, pass: ratio >= least }
}
