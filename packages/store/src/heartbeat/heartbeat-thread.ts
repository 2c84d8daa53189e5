/** The thread of heartbeat.ts: one connection, one statement every `renewMs`, and it reports what it sees. */
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '@punctual/core/errors'
import type pg from 'pg'
import { Endpoint } from '../connection/endpoint.ts'
import { Statements } from '../connection/statements.ts'
import { systemClock as clock, processMs } from '../connection/system-ports.ts'
import type { ThreadData, ThreadMessage } from './heartbeat.ts'

/** Of a lease: handlers that must not outlive it have the rest of it to end. */
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
const renew = new Statements(data.schema).get('sessions/renew-session').text
const stopping = new AbortController()
port.once('message', () => stopping.abort())

const say = (message: ThreadMessage) => port.postMessage(message)
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

/** Tells before the lease runs out by our own clock, counted from when its renewal was asked for. */
function watchExpiry(renewedAtMs: number): void {
  clearTimeout(expiring)
  const leftMs = renewedAtMs + data.leaseMs * EXPIRING_AT - processMs()
  expiring = setTimeout(() => say({ kind: 'expiring' }), Math.max(0, leftMs))
}

/** Returns how long to wait. */
async function beat(): Promise<number> {
  if (!mainThreadLives()) {
    say({
      kind: 'failing',
      message: 'the event loop has been blocked for too long; the lease is let go',
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
      // Values come as text here.
      say({ kind: 'renewed', drains: rows[0].drains === 't', sentAtMs })
    } else {
      say({ kind: 'lost' })
      stopping.abort()
    }
    return data.renewMs
  } catch (error) {
    void client?.end().catch(() => undefined)
    client = null
    say({ kind: 'failing', message: (error as Error).message })
    // Often enough to show up before a reaper that saw nothing amiss takes a short outage for our death.
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
