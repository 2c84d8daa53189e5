/**
 * Renews a session's lease from a thread and a connection of its own, so that a busy event loop does not
 * lose it. The thread reports every beat, and the main thread shows that it lives by counting the reports;
 * when it has not counted for `stallMs` the thread stops renewing, and the fleet takes the work over.
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
  /** When the lease was last asked for, by the clock that all threads share. */
  readonly renewedAtMs: number
  /** How many reports the main thread has seen. */
  readonly seen: SharedArrayBuffer
}

export type ThreadMessage =
  | { kind: 'renewed'; drains: boolean; sentAtMs: number }
  | { kind: 'expiring' }
  | { kind: 'lost' }
  | { kind: 'failing'; message: string }

const RELAUNCH_MS = 1_000

/** The thread's file: compiled, also when this one is run from its source by a test. */
function threadFile(): URL {
  const beside = new URL('./heartbeat-thread.js', import.meta.url)
  return existsSync(beside)
    ? beside
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
        // Without the options of this process: they may not suit the compiled file.
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
        // A thread that dies by itself is started again: without it the lease runs out.
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
