/** The thread of heartbeat.ts: one connection, one statement every `renewMs`, a report for each. */
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '@punctual/core/errors'
import type pg from 'pg'
import { Endpoint } from '../connection/server/endpoint.ts'
import { Statements } from '../connection/statements.ts'
import { systemClock as clock, processMs } from '../connection/system-ports.ts'
import type { ThreadData, ThreadMessage } from './heartbeat.ts'

/** The fraction of a lease after which it counts as expiring; handlers have the rest to stop. */
const EXPIRING_AT = 0.9

const port = parentPort
invariant(port, 'the heartbeat runs in a thread')
const data = workerData as ThreadData
const counter = new Int32Array(data.seen)
const endpoint = new Endpoint({
  url: data.url,
  applicationName: 'punctual heartbeat',
  connectTimeoutMs: Math.min(5_000, data.renewMs),
})
const renew = new Statements(data.schema, Date.now).get('sessions/renew-session').text
const stopping = new AbortController()
port.once('message', () => stopping.abort())

const report = (message: ThreadMessage) => port.postMessage(message)
let client = null as pg.Client | null
let reportsSeen = -1
let seenAtMs = clock.monotonicMs()

function mainThreadLives(): boolean {
  const reports = Atomics.load(counter, 0)
  if (reports !== reportsSeen) {
    reportsSeen = reports
    seenAtMs = clock.monotonicMs()
  }
  return clock.monotonicMs() - seenAtMs < data.stallMs
}

let expiring: NodeJS.Timeout | undefined

/** Reports before the lease expires by this machine's clock, counted from the renewal request. */
function watchExpiry(renewedAtMs: number): void {
  clearTimeout(expiring)
  const leftMs = renewedAtMs + data.leaseMs * EXPIRING_AT - processMs()
  expiring = setTimeout(() => report({ kind: 'expiring' }), Math.max(0, leftMs))
}

/** Renews the lease; returns how long to wait for the next beat. */
async function beat(): Promise<number> {
  if (!mainThreadLives()) {
    report({
      kind: 'failing',
      message: 'the event loop has been blocked for too long; the lease is not renewed',
    })
    return data.renewMs
  }
  try {
    client ??= await endpoint.connect({})
    const query = {
      text: renew,
      values: [data.sessionId],
      query_timeout: Math.min(5_000, data.renewMs),
    }
    const sentAtMs = processMs()
    const { rows } = await client.query(query as pg.QueryConfig)
    if (rows[0]) {
      watchExpiry(sentAtMs)
      // This connection returns values as text.
      report({ kind: 'renewed', drains: rows[0].drains === 't', sentAtMs })
    } else {
      report({ kind: 'lost' })
      stopping.abort()
    }
    return data.renewMs
  } catch (error) {
    void client?.end().catch(() => undefined)
    client = null
    report({ kind: 'failing', message: (error as Error).message })
    // Soon enough to renew before a reaper mistakes a short outage of the network for a dead
    // worker.
    return Math.min(1_000, data.renewMs / 2)
  }
}

watchExpiry(data.renewedAtMs)
while (!stopping.signal.aborted) {
  const pauseMs = await beat()
  await clock.sleep(pauseMs, stopping.signal)
}
clearTimeout(expiring)
await client?.end().catch(() => undefined)
port.close()
