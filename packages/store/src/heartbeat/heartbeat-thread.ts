/** The thread of heartbeat.ts: one connection, one statement every `renewMs`, a report for each. */
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '@punctual/core/errors'
import type pg from 'pg'
import { runOn } from '../connection/run-call.ts'
import { Endpoint } from '../connection/server/endpoint.ts'
import { Statements } from '../connection/statements.ts'
import { systemClock as clock, processMs } from '../connection/system-ports.ts'
import { renewSession } from '../sessions/statements.gen.ts'
import type { ThreadData, ThreadMessage } from './heartbeat.ts'

/** The fraction of a lease after which it counts as expiring; handlers have the rest to stop. */
const EXPIRING_AT = 0.9

const port = parentPort
invariant(port, 'the heartbeat runs in a thread')
const data: ThreadData = workerData
const counter = new Int32Array(data.seen)
const timeoutMs = Math.min(5_000, data.renewMs)
const endpoint = new Endpoint({
  url: data.url,
  applicationName: 'punctual heartbeat',
  connectTimeoutMs: timeoutMs,
})
const statements = new Statements(data.schema, Date.now)
const stopping = new AbortController()
port.once('message', () => stopping.abort())

const report = (message: ThreadMessage) => port.postMessage(message)
let client: pg.Client | null = null
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

async function disconnect(): Promise<void> {
  const ended = client?.end()
  client = null
  await ended?.catch(() => undefined)
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
    const sentAtMs = processMs()
    const [renewed] = await runOn(client, statements, renewSession(data.sessionId), { timeoutMs })
    if (renewed) {
      watchExpiry(sentAtMs)
      report({ kind: 'renewed', drains: renewed.drains, sentAtMs })
    } else {
      report({ kind: 'lost' })
      stopping.abort()
    }
    return data.renewMs
  } catch (error) {
    void disconnect()
    report({ kind: 'failing', message: error instanceof Error ? error.message : String(error) })
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
await disconnect()
port.close()
