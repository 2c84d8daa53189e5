/**
 * Renews a session's lease from a dedicated thread and connection, so that a busy event loop does
 * not lose it. The thread reports every beat, and the main thread proves that it is alive by
 * counting the reports; when the count has not moved for `stallMs`, the thread stops renewing, and
 * other workers take the runs over.
 */
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Heartbeat, HeartbeatEvents } from '@punctual/core/ports'
import { processMs } from '../connection/system-ports.ts'

export interface HeartbeatOptions {
  readonly url: string
  readonly schema: string
  readonly renewMs: number
  readonly stallMs: number
}

export interface ThreadData extends HeartbeatOptions {
  readonly sessionId: string
  readonly leaseMs: number
  /** When the last renewal was requested, by the clock that all threads share. */
  readonly renewedAtMs: number
  /** How many reports the main thread has counted. */
  readonly seen: SharedArrayBuffer
}

export type ThreadMessage =
  | { kind: 'renewed'; drains: boolean; sentAtMs: number }
  | { kind: 'expiring' }
  | { kind: 'lost' }
  | { kind: 'failing'; message: string }

const RELAUNCH_MS = 1_000

/** The compiled thread, also when a test runs this module from its source. */
function threadFile(): URL {
  const sibling = new URL('./heartbeat-thread.js', import.meta.url)
  return existsSync(sibling)
    ? sibling
    : new URL('../../dist/heartbeat/heartbeat-thread.js', import.meta.url)
}

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  return {
    start(sessionId: string, leaseMs: number, events: HeartbeatEvents, openedAgoMs = 0) {
      const seen = new SharedArrayBuffer(4)
      const counter = new Int32Array(seen)
      let renewedAtMs = processMs() - openedAgoMs
      let stopping = false
      let ended: Promise<void> = Promise.resolve()
      let thread: Worker
      const launch = () => {
        const workerData: ThreadData = { ...options, sessionId, leaseMs, renewedAtMs, seen }
        // Without this process's Node.js flags: they may not fit the compiled file.
        thread = new Worker(threadFile(), { workerData, name: 'punctual-heartbeat', execArgv: [] })
        thread.unref()
        thread.on('message', (message: ThreadMessage) => {
          Atomics.add(counter, 0, 1)
          if (message.kind === 'renewed') {
            renewedAtMs = message.sentAtMs
            events.onRenewed(message.drains)
          } else if (message.kind === 'expiring') events.onExpiring()
          else if (message.kind === 'lost') {
            stopping = true
            events.onLost()
          } else events.onFailing(message.message)
        })
        thread.on('error', (error) => events.onFailing(error.message))
        ended = new Promise((resolve) => thread.once('exit', () => resolve()))
        // A thread that dies unexpectedly is restarted: without it the lease expires.
        void ended.then(
          () => !stopping && setTimeout(() => !stopping && launch(), RELAUNCH_MS).unref(),
        )
      }
      launch()
      return {
        async stop() {
          stopping = true
          thread.postMessage('stop')
          await ended
        },
      }
    },
  }
}
