/**
 * Renews a session over HTTP from a separate thread, so that a busy event loop does not lose it.
 * The thread reports every heartbeat, and the main thread proves that it is alive by counting the
 * reports. When it has not counted for `stallMs`, the thread stops renewing, and other workers take
 * over the runs.
 */
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Heartbeat, HeartbeatEvents } from '@punctual/core/ports'

export interface RemoteHeartbeatOptions {
  readonly servers: readonly string[]
  readonly apiKey: string | null
  readonly renewMs: number
  readonly stallMs: number
}

export interface ThreadData extends RemoteHeartbeatOptions {
  readonly sessionId: string
  readonly leaseMs: number
  /** When the lease was last requested, by the clock that all threads share. */
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

/** Monotonic milliseconds, the same in all threads of the process. */
export const processMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** The compiled file of the thread, also when a test runs this one from its source. */
function threadFile(): URL {
  const sibling = new URL('./remote-heartbeat-thread.js', import.meta.url)
  return existsSync(sibling)
    ? sibling
    : new URL('../../dist/remote/remote-heartbeat-thread.js', import.meta.url)
}

export function createRemoteHeartbeat(options: RemoteHeartbeatOptions): Heartbeat {
  return {
    start: (sessionId, leaseMs, events, openedAgoMs = 0) =>
      new Beating(options, { sessionId, leaseMs, openedAgoMs }, events),
  }
}

class Beating {
  readonly #options: RemoteHeartbeatOptions
  readonly #session: { readonly sessionId: string; readonly leaseMs: number }
  readonly #events: HeartbeatEvents
  readonly #seen = new SharedArrayBuffer(4)
  #renewedAtMs: number
  #stopping = false
  #thread: Worker | null = null
  #ended: Promise<void> = Promise.resolve()

  constructor(
    options: RemoteHeartbeatOptions,
    session: { sessionId: string; leaseMs: number; openedAgoMs: number },
    events: HeartbeatEvents,
  ) {
    this.#options = options
    this.#session = session
    this.#events = events
    this.#renewedAtMs = processMs() - session.openedAgoMs
    this.#launch()
  }

  #launch(): void {
    const { sessionId, leaseMs } = this.#session
    const own = { sessionId, leaseMs, renewedAtMs: this.#renewedAtMs, seen: this.#seen }
    const workerData: ThreadData = { ...this.#options, ...own }
    // Node.js options of this process are not inherited: they may not suit the compiled file.
    const thread = new Worker(threadFile(), {
      workerData,
      name: 'punctual-heartbeat',
      execArgv: [],
    })
    thread.unref()
    thread.on('message', (message: ThreadMessage) => this.#receive(message))
    thread.on('error', (error) => this.#events.onFailing(error.message))
    this.#thread = thread
    this.#ended = new Promise((resolve) => thread.once('exit', () => resolve()))
    // A thread that dies is started again: without it the lease expires.
    void this.#ended.then(() => {
      if (!this.#stopping) setTimeout(() => !this.#stopping && this.#launch(), RELAUNCH_MS).unref()
    })
  }

  #receive(message: ThreadMessage): void {
    Atomics.add(new Int32Array(this.#seen), 0, 1)
    if (message.kind === 'renewed') {
      this.#renewedAtMs = message.sentAtMs
      this.#events.onRenewed(message.drains)
    } else if (message.kind === 'expiring') this.#events.onExpiring()
    else if (message.kind === 'lost') {
      this.#stopping = true
      this.#events.onLost()
    } else this.#events.onFailing(message.message)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    // The thread must keep the process alive until it has ended.
    this.#thread?.ref()
    this.#thread?.postMessage('stop')
    await this.#ended
  }
}
