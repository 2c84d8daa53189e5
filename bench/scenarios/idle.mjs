import { setTimeout as sleep } from 'node:timers/promises'
import { lowest } from '../lib/bars.mjs'
import { number } from '../lib/cells.mjs'
import { openStatementCounter } from '../lib/statements.mjs'
import { PEERS, POSTGRES_PEERS } from '../systems/catalogue.mjs'
import { watchCpu } from './measuring.mjs'

const MINUTE_S = 60
/** Start-up is not idling: in every system V8 collects its garbage 8 to 17 s afterwards. */
const SETTLE_MS = 25_000

/** @type {import('./index.mjs').Scenario} */
export const idle = {
  name: 'idle',
  what: 'one minute without work: a started worker of each system with its own defaults',
  systems: ['punctual', ...PEERS],
  figure: (result) => result.queriesPerMinute,
  settings: ['idle'],
  better: 'lower',
  unit: ' queries/min',
  comparedPeers: POSTGRES_PEERS,
  columns: (result) => ({
    'counted by': result.countedBy,
    'CPU ms/min, worker': number(result.clientCpuMsPerMinute),
    'CPU ms/min, server': number(result.serverCpuMsPerMinute),
    connections: String(result.connections ?? '-'),
  }),
  json: ({ queriesPerMinute, clientCpuMsPerMinute, serverCpuMsPerMinute, connections }) => ({
    queriesPerMinute,
    clientCpuMsPerMinute,
    serverCpuMsPerMinute,
    connections,
  }),
  bars: (results) => [
    lowest(results, 'queriesPerMinute', 'queries a minute', POSTGRES_PEERS),
    lowest(results, 'clientCpuMsPerMinute', "ms of the worker's CPU a minute", POSTGRES_PEERS),
  ],

  measure(bench, system) {
    const seconds = Math.max(10, Math.round(MINUTE_S * bench.options.scale))
    const perMinute = (value) => (value === null ? null : Math.round((value / seconds) * MINUTE_S))
    return bench.fresh(system, async ({ child }) => {
      const worker = await child()
      await worker.call('open', { work: true, profile: 'idle' })
      await worker.call('start', { handler: 'counting' })
      const counter = await openStatementCounter(bench, system)
      await sleep(SETTLE_MS)
      const cpuUsed = await watchCpu(bench, system, [worker])
      const statements = await counter.during(() => sleep(seconds * 1000))
      const { serverCpuMs, clientCpuMs } = await cpuUsed()
      const connections = await counter.connections()
      await counter.close()
      return {
        queriesPerMinute: perMinute(statements.count),
        countedBy: statements.countedBy,
        clientCpuMsPerMinute: perMinute(clientCpuMs),
        serverCpuMsPerMinute: perMinute(serverCpuMs),
        connections,
      }
    })
  },
}
