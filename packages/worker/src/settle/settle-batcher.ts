/**
 * Settles outcomes in batches. What ends while a batch is under way goes with the next one: under load the
 * batches grow by themselves, and a lone run is settled at once. When the database refuses a batch for what
 * one outcome holds, the batch is halved until the culprit is found, and that one is settled as failed.
 * While the database is away it keeps trying: work that was done is not thrown away.
 */
import type { Clock } from '@punctual/core/clock'
import { failureFrom } from '@punctual/core/errors'
import type { Settlement, WorkStore } from '@punctual/core/ports'
import type { RunLogs } from '../reports/run-logs.ts'

const BATCH_MAX = 1_000
const IN_FLIGHT_MAX = 2
/**
 * Where so many have ended more are about to: they go along when they have within a few turns of the event loop, which
 * take no time at all when nothing else is to be done.
 */
const BURST = 50
const GATHER_TURNS = 4
const OUTPUT_LENGTH_MAX = 16_777_216

export interface SettlerEvents {
  /** The outcome was accepted, or refused because the run belongs to somebody else by now. */
  onSettled(settlement: Settlement, accepted: boolean): void
  onError(error: unknown): void
}

export interface SettlerOptions {
  readonly store: Pick<WorkStore, 'settle'>
  readonly logs: RunLogs
  readonly clock: Clock
  readonly sessionId: () => string
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

  /** How many outcomes are not yet stored: what back-pressure looks at. */
  get backlog(): number {
    return this.#pending.length + this.#batches.size * BATCH_MAX
  }

  /** The fences of everything that is not yet stored: those leases are known to be ours. */
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
      const batch = this.#pending.splice(0, batchSize(this.#pending))
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
    const [culprit] = batch as [Settlement]
    const { run, startedAgoMs } = culprit
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

  /** Nothing is tried again: what is not stored by now is found by the reaper, and runs again. */
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
 * As many as fit into one statement, by number and by what their outputs hold; and of a run one attempt at a time. A
 * worker that lost a run and got it again may have both in hand, and answers name runs.
 */
function batchSize(pending: readonly Settlement[]): number {
  const runs = new Set<string>()
  let length = 0
  let size = 0
  for (; size < pending.length && size < BATCH_MAX; size++) {
    const next = pending[size] as Settlement
    length += next.kind === 'succeeded' ? (next.output?.length ?? 0) : 0
    if (size > 0 && (length > OUTPUT_LENGTH_MAX || runs.has(next.run.id))) break
    runs.add(next.run.id)
  }
  return size
}

/** SQLSTATE classes 22, 23 and 54: a value is to blame, not the moment. */
function isData(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^(22|23|54)/.test(code)
}
