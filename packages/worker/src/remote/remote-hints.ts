/**
 * Hints over HTTP: a long poll that is asked again and again. Each answer says where to go on from, so that none is
 * missed between two of them; another node does not know that place, and says to look at everything.
 */
import type { Clock } from '@punctual/core/clock'
import { limits, PunctualError } from '@punctual/core/errors'
import type { WorkerHint } from '../options/worker-options.ts'
import type { PunctualServer } from './http.ts'

/** Hints that follow each other closely come together. */
const REST_MS = 10
const AFTER_FAILURE_MS = 500

interface Told {
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

  /** Begins to ask; returns how to stop. */
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
      const told = sessionId === null ? null : await this.#ask(sessionId, cursor, stopping)
      if (stopping.aborted) return
      this.#arrive = told !== null
      cursor = told?.cursor
      if (told && sessionId !== null) {
        for (const hint of hintsIn(told, drains, sessionId)) listener(hint)
        drains = told.drains
      }
      await this.#clock.sleep(told ? REST_MS : AFTER_FAILURE_MS, stopping)
    }
  }

  async #ask(
    sessionId: string,
    after: string | undefined,
    signal: AbortSignal,
  ): Promise<Told | null> {
    const waitMs = limits.claimWaitMsMax
    try {
      return await this.#server.ask<Told>({
        path: `/${sessionId}/wait`,
        body: JSON.stringify({ after, wait_ms: waitMs }),
        timeoutMs: waitMs + 5_000,
        signal,
      })
    } catch (error) {
      // A session that is gone is noticed by whoever renews it.
      if (error instanceof PunctualError) await this.#clock.sleep(AFTER_FAILURE_MS, signal)
      return null
    }
  }
}

function hintsIn(told: Told, drained: boolean, sessionId: string): WorkerHint[] {
  const { lanes, new_lane: newLane, cancels, drains } = told
  const hints: WorkerHint[] = []
  if (lanes === null || newLane || lanes.length > 0) hints.push({ lanes, newLane })
  if (cancels.length > 0) hints.push({ lanes: [], newLane: false, cancels })
  if (drains !== drained) hints.push({ lanes: [], newLane: false, sessions: [sessionId] })
  return hints
}
