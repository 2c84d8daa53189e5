/**
 * Hints over HTTP: a long poll that repeats. Each answer has a cursor for the next request, so that
 * no hint is missed in between. A different node does not know the cursor, and returns a hint for
 * all lanes.
 */
import type { Clock } from '@punctual/core/clock'
import { limits, PunctualError } from '@punctual/core/errors'
import type { WorkerHint } from '../options/worker-options.ts'
import type { PunctualServer } from './http.ts'

/** Hints that follow each other closely are combined. */
const REST_MS = 10
const AFTER_FAILURE_MS = 500

interface WireHints {
  readonly cursor: string
  readonly lanes: readonly number[] | null
  readonly new_lane: boolean
  readonly cancels: readonly string[]
  readonly drains: boolean
}

export class RemoteHints {
  readonly #server: PunctualServer
  readonly #clock: Clock
  readonly #sessionId: () => string | null
  #arrive = false

  constructor(server: PunctualServer, clock: Clock, sessionId: () => string | null) {
    this.#server = server
    this.#clock = clock
    this.#sessionId = sessionId
  }

  /** Whether hints arrive: then polling is slow. */
  get arrive(): boolean {
    return this.#arrive
  }

  /** Starts polling; returns a function that stops it. */
  listen(listener: (hint: WorkerHint) => void): () => void {
    const stopping = new AbortController()
    void this.#listen(listener, stopping.signal)
    return () => stopping.abort()
  }

  async #listen(listener: (hint: WorkerHint) => void, stopping: AbortSignal): Promise<void> {
    let cursor: string | undefined
    let drains = false
    while (!stopping.aborted) {
      const sessionId = this.#sessionId()
      const hints = sessionId === null ? null : await this.#poll(sessionId, cursor, stopping)
      if (stopping.aborted) return
      this.#arrive = hints !== null
      cursor = hints?.cursor
      if (hints && sessionId !== null) {
        for (const hint of hintsIn(hints, drains, sessionId)) listener(hint)
        drains = hints.drains
      }
      await this.#clock.sleep(hints ? REST_MS : AFTER_FAILURE_MS, stopping)
    }
  }

  async #poll(
    sessionId: string,
    after: string | undefined,
    signal: AbortSignal,
  ): Promise<WireHints | null> {
    const waitMs = limits.claimWaitMsMax
    try {
      return await this.#server.send<WireHints>({
        path: `/${sessionId}/wait`,
        body: JSON.stringify({ after, wait_ms: waitMs }),
        timeoutMs: waitMs + 5_000,
        signal,
      })
    } catch (error) {
      // The next renewal notices a session that is gone.
      if (error instanceof PunctualError) await this.#clock.sleep(AFTER_FAILURE_MS, signal)
      return null
    }
  }
}

function hintsIn(received: WireHints, drained: boolean, sessionId: string): WorkerHint[] {
  const { lanes, new_lane: newLane, cancels, drains } = received
  const hints: WorkerHint[] = []
  if (lanes === null || newLane || lanes.length > 0) hints.push({ lanes, newLane })
  if (cancels.length > 0) hints.push({ lanes: [], newLane: false, cancels })
  if (drains !== drained) hints.push({ lanes: [], newLane: false, sessions: [sessionId] })
  return hints
}
