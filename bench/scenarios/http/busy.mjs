import { setTimeout as sleep } from 'node:timers/promises'
import { shown } from '../../lib/bars.mjs'
import { latencyColumns, latencyJson, number } from '../../lib/cells.mjs'
import { quantiles } from '../../lib/quantiles.mjs'
import { openStatementCounter } from '../../lib/statements.mjs'
import { PEERS } from '../../systems/catalogue.mjs'
import { progress, untilCalm, watchCpu } from '../measuring.mjs'

const HOLD_MS = 10_000
const PER_SECOND = 500
const CONCURRENCY = 100
/** The first handlers end after ten seconds; until then the capacity is not fully used. */
const FILL_S = 12
const MEASURE_S = 30

/** @type {import('../index.mjs').Scenario} */
export const busy = {
  name: 'busy',
  what: 'handlers of 10 s, 500 submissions a second: 5,000 running at once in processes of 100',
  systems: ['punctual', ...PEERS],
  figure: (result) => result.p99Ms,
  settings: ['slow'],
  better: 'lower',
  unit: ' ms p99',
  columns: (result) => ({
    ...latencyColumns(result),
    running: number(result.running),
    'statements/s': `${number(result.statementsPerSecond)} (${result.countedBy})`,
    connections: String(result.connections ?? '-'),
    'CPU server + workers': `${result.serverCores} + ${result.clientCores} cores`,
  }),
  json: ({ running, statementsPerSecond, connections, serverCores, clientCores, ...rest }) => ({
    ...latencyJson(rest),
    running,
    statementsPerSecond,
    connections,
    serverCores,
    clientCores,
  }),
  bars: (results) => [shown(results, 'lateness, statements a second, connections and CPU')],

  measure(bench, system) {
    const seconds = Math.max(10, Math.round(MEASURE_S * bench.options.scale))
    return bench.fresh(system, async ({ child }) => {
      const workers = await startWorkers(child, bench.options.processes)
      const producer = await child()
      await producer.call('open', { produce: true, profile: 'latency' })
      const counter = await openStatementCounter(bench, system)
      const pacing = producer.call('paced', { perSecond: PER_SECOND, seconds: FILL_S + seconds })
      await sleep(FILL_S * 1000)
      await Promise.all(workers.map((w) => w.call('lateness')))
      const cpuUsed = await watchCpu(bench, system, workers)
      const statements = await counter.during(() => sleep(seconds * 1000))
      const { handled } = await progress(workers)
      const cores = (ms) => (ms === null ? null : Number((ms / seconds / 1000).toFixed(2)))
      const cpu = await cpuUsed()
      const lateness = (await Promise.all(workers.map((w) => w.call('lateness')))).flat()
      const connections = await counter.connections()
      await pacing
      await counter.close()
      return {
        ...quantiles(lateness),
        running: Math.round((handled / seconds) * (HOLD_MS / 1000)),
        statementsPerSecond: Math.round(statements.count / seconds),
        countedBy: statements.countedBy,
        connections,
        serverCores: cores(cpu.serverCpuMs),
        clientCores: cores(cpu.clientCpuMs),
        ms: seconds * 1000,
        clients: workers.length,
        ...cpu,
      }
    })
  },
}

/** A few at a time: fifty processes that compile at the same time starve each other. */
async function startWorkers(child, processes) {
  const workers = []
  while (workers.length < processes) {
    const some = Math.min(5, processes - workers.length)
    const started = await Promise.all(Array.from({ length: some }, child))
    const role = { work: true, profile: 'slow', concurrency: CONCURRENCY }
    await Promise.all(started.map((worker) => worker.call('open', role)))
    workers.push(...started)
  }
  const handler = { handler: 'holding', holdMs: HOLD_MS }
  await Promise.all(workers.map((worker) => worker.call('start', handler)))
  await untilCalm(workers)
  return workers
}
