/**
 * Settles outcomes in batches. Outcomes that arrive while a batch is being stored wait for the next
 * one: under load the batches grow by themselves, and a single outcome is stored at once. When the
 * database refuses a batch because of a value in one outcome, the batch is halved until that
 * outcome is found, and its run is settled as dead. While the database is unreachable, settling is
 * retried.
 */
import type { Clock } from '@punctual/core/clock'
import { failureFrom } from '@punctual/core/errors'
import type { Settlement, WorkStore } from '@punctual/core/ports'
import type { RunLogs } from '../reports/run-logs.ts'

const BATCH_MAX = 1_000
const IN_FLIGHT_MAX = 2
/**
 * After this many outcomes, more will follow at once: those of a few turns of the event loop join
 * the batch. The turns take no time when nothing else is to be done.
 */
const BURST = 50
const GATHER_TURNS = 4
const OUTPUT_LENGTH_MAX = 16_777_216

export interface SettlerEvents {
  /** The outcome was accepted, or refused because another worker owns the run by now. */
  onSettled(settlement: Settlement, accepted: boolean): void
  onError(error: unknown): void
}

export interface SettlerOptions {
  readonly store: Pick<WorkStore, 'settle'>
  readonly logs: RunLogs
  readonly clock: Clock
  readonly sessionId: () => string
  /** Whether outcomes of two attempts of one run may wait here: after a session was lost. */
  readonly mayRepeat: () => boolean
  readonly events: SettlerEvents
}

export class SettleBatcher {
  readonly #options: SettlerOptions
  #pending: Settlement[] = []
  readonly #batches = new Set<readonly Settlement[]>()
  #scheduled = false
  #waiters: (() => void)[] = []
  readonly #givenUp = new AbortController()

  constructor(options: SettlerOptions) {
    this.#options = options
  }

  /** How many outcomes are not yet stored; too many of them stop claiming. */
  get backlog(): number {
    return this.#pending.length + this.#batches.size * BATCH_MAX
  }

  /** The fences of outcomes that are not yet stored: this worker knows their leases. */
  claims(): bigint[] {
    return [...this.#batches, this.#pending].flatMap((batch) => batch.map((s) => s.run.fence))
  }

  add(settlement: Settlement): void {
    this.#pending.push(settlement)
    if (this.#batches.size < IN_FLIGHT_MAX) this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#gather(GATHER_TURNS))
  }

  #gather(turns: number): void {
    const { length } = this.#pending
    if (turns > 0 && length >= BURST && length < BATCH_MAX) {
      setImmediate(() => this.#gather(turns - 1))
      return
    }
    this.#scheduled = false
    this.#pump()
  }

  #pump(): void {
    while (this.#pending.length > 0 && this.#batches.size < IN_FLIGHT_MAX) {
      // A second batch is worth its round trip only when it is large.
      if (this.#batches.size > 0 && this.#pending.length < BATCH_MAX / 2) return
      const size = batchSize(this.#pending, this.#options.mayRepeat())
      const batch = this.#pending.splice(0, size)
      this.#batches.add(batch)
      void this.#settle(batch).finally(() => {
        this.#batches.delete(batch)
        if (this.#pending.length > 0) this.#schedule()
        if (this.#batches.size === 0 && this.#pending.length === 0)
          for (const done of this.#waiters.splice(0)) done()
      })
    }
  }

  async #settle(batch: Settlement[]): Promise<void> {
    if (this.#options.logs.pending) await this.#options.logs.flush()
    const { events, store, clock } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        const refused = new Set(await store.settle(this.#options.sessionId(), batch))
        for (const settlement of batch)
          events.onSettled(settlement, refused.size === 0 || !refused.has(settlement.run.id))
        return
      } catch (error) {
        events.onError(error)
        if (isData(error)) return this.#isolate(batch, error)
        if (!this.#givenUp.signal.aborted)
          await clock.sleep(Math.min(5_000, 100 * attempt), this.#givenUp.signal)
        if (this.#givenUp.signal.aborted) return
      }
    }
  }

  async #isolate(batch: Settlement[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      const half = batch.length >> 1
      await this.#settle(batch.slice(0, half))
      await this.#settle(batch.slice(half))
      return
    }
    const [{ run, startedAgoMs }] = batch as [Settlement]
    const failure = failureFrom(error)
    await this.#settle([
      {
        kind: 'dead',
        run,
        startedAgoMs,
        outcome: 'failed',
        reason: 'outcome_not_storable',
        failure: { name: failure.name, message: 'The outcome could not be stored.' },
      },
    ])
  }

  /** Retries nothing any more: the reaper returns runs whose outcomes are not stored by now. */
  giveUp(): void {
    this.#pending = []
    this.#givenUp.abort()
  }

  /** Resolves when nothing is left to settle. */
  idle(): Promise<void> {
    if (this.#batches.size === 0 && this.#pending.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiters.push(resolve))
  }
}

/**
 * As many outcomes as fit into one statement, by their number and the size of their outputs. A
 * batch has one attempt of a run, because answers name runs: a worker that lost a run and claimed
 * it again may have the outcomes of both attempts.
 */
function batchSize(pending: readonly Settlement[], mayRepeat: boolean): number {
  const runs = mayRepeat ? new Set<string>() : null
  let length = 0
  let size = 0
  for (; size < pending.length && size < BATCH_MAX; size++) {
    const next = pending[size] as Settlement
    length += next.kind === 'succeeded' ? (next.output?.length ?? 0) : 0
    if (size > 0 && (length > OUTPUT_LENGTH_MAX || runs?.has(next.run.id))) break
    runs?.add(next.run.id)
  }
  return size
}

/** SQLSTATE classes 22, 23 and 54: a value is the cause, and a retry fails again. */
function isData(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^(22|23|54)/.test(code)
}
