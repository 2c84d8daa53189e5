/** The thread of remote-heartbeat.ts: sends one request every `renewMs` and reports the answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Clock } from '@punctual/core/clock'
import { invariant, PunctualError } from '@punctual/core/errors'
import { PunctualServer } from './http.ts'
import { processMs, type ThreadData, type ThreadMessage } from './remote-heartbeat.ts'

/**
 * The share of a lease after which handlers that must not outlive it are stopped; they have the
 * rest of it to end.
 */
const EXPIRING_AT = 0.9

const port = parentPort
invariant(port, 'the heartbeat runs in a thread')
const data = workerData as ThreadData
const counter = new Int32Array(data.seen)
const stopping = new AbortController()
port.once('message', () => stopping.abort())

const clock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: processMs,
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
}
const server = new PunctualServer({ servers: data.servers, apiKey: data.apiKey, clock })
const report = (message: ThreadMessage) => port.postMessage(message)
let reportsSeen = -1
let seenAtMs = processMs()
let callOff = () => {}

function mainThreadLives(): boolean {
  const reports = Atomics.load(counter, 0)
  if (reports !== reportsSeen) {
    reportsSeen = reports
    seenAtMs = processMs()
  }
  return processMs() - seenAtMs < data.stallMs
}

/**
 * Reports before the lease expires by this process's clock, counted from when its renewal was
 * requested.
 */
function watchExpiry(renewedAtMs: number): void {
  callOff()
  const leftMs = renewedAtMs + data.leaseMs * EXPIRING_AT - processMs()
  callOff = clock.after(Math.max(0, leftMs), () => report({ kind: 'expiring' }))
}

async function renew(): Promise<void> {
  const sentAtMs = processMs()
  const { drains } = await server.send<{ drains: boolean }>({
    path: `/${data.sessionId}/renew`,
    body: '{}',
    timeoutMs: Math.min(5_000, data.renewMs),
    // A missing node costs no heartbeat while another one answers.
    retryMs: data.renewMs / 2,
    signal: stopping.signal,
  })
  watchExpiry(sentAtMs)
  report({ kind: 'renewed', drains, sentAtMs })
}

/** Returns how long to wait. */
async function beat(): Promise<number> {
  if (!mainThreadLives()) {
    const message = 'the event loop has been blocked for too long; the lease is not renewed'
    report({ kind: 'failing', message })
    return data.renewMs
  }
  try {
    await renew()
    return data.renewMs
  } catch (error) {
    if (stopping.signal.aborted) return 0
    if (error instanceof PunctualError && error.code === 'session_not_found') {
      report({ kind: 'lost' })
      stopping.abort()
      return 0
    }
    report({ kind: 'failing', message: (error as Error).message })
    // Often enough that a reaper which noticed no outage does not take a short one for the death of
    // this worker.
    return Math.min(1_000, data.renewMs / 2)
  }
}

watchExpiry(data.renewedAtMs)
while (!stopping.signal.aborted) {
  const pauseMs = await beat()
  await clock.sleep(pauseMs, stopping.signal)
}
callOff()
port.close()
