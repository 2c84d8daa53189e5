/**
 * Accepts runs. Submissions that arrive while others are in flight share a statement and a commit,
 * so that many concurrent callers cost little more than one. A run's id is made here, before
 * anything is sent: a submission whose answer was lost is sent again under the same id and cannot
 * be doubled. A row that the database refuses is found by halving the batch, and only its caller
 * gets the error.
 *
 * Submissions with keys and those in a user's transaction take another path (keyed-submitter.ts).
 */
import type { Random } from '@punctual/core/clock'
import { defaults } from '@punctual/core/errors'
import { RunIdSource, runIdTimeFor } from '@punctual/core/run'
import type { Submission } from '@punctual/core/submit'
import type { Channel } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { isDataFault } from '../connection/faults.ts'
import type { OpenTransaction } from '../connection/open-transaction.ts'
import { retrying } from '../connection/retrying.ts'
import type { Signals } from '../connection/signals.ts'
import { readTime } from '../connection/statements.gen.ts'
import type { LaneRegistry } from '../lanes/registry.ts'
import type { Call } from '../sql/typed.ts'
import type { ParkedRuns } from '../work/parked-runs.ts'
import { gateOf } from './flow-keys.ts'
import { InsertCalls, STATEMENT_LENGTH_MAX } from './insert-calls.ts'
import type { Prepared } from './prepared.ts'

interface Pending {
  readonly runs: readonly Prepared[]
  resolve(): void
  reject(error: unknown): void
}

const BATCH = 1_000
/**
 * While connections are busy, another one begins when this many runs wait for each of them. Fewer
 * runs wait for the next answer: a statement of their own would cost more than it saves.
 */
const RUNS_TO_SPREAD = 24
const DEADLINE_MS = 30_000

export interface SubmitterOptions {
  readonly database: Database
  readonly lanes: LaneRegistry
  readonly signals: Signals
  readonly random: Random
  readonly ensurePartitions: () => Promise<void>
  readonly horizonMs?: number
  readonly daysAhead?: number
  readonly parked: ParkedRuns
}

export class Submitter {
  readonly #options: SubmitterOptions
  readonly #ids: RunIdSource
  readonly #pending: Pending[] = []
  #pendingRuns = 0
  readonly #idle: Channel[]
  readonly #inserts = new InsertCalls()
  readonly horizonMs: number

  constructor(options: SubmitterOptions) {
    this.#options = options
    this.#ids = new RunIdSource(options.random)
    this.#idle = [...options.database.submit]
    this.horizonMs = options.horizonMs ?? defaults.horizonMs
  }

  /** Gives each submission its id, its due time and its lane. */
  async prepare(submissions: readonly Submission[], tenantId: number): Promise<Prepared[]> {
    const { database, lanes } = this.#options
    if (database.clock.ageMs > 60_000) await this.#retryingLookup(() => this.#readClock())
    const nowMs = database.clock.nowMs()
    const daysAhead = this.#options.daysAhead ?? defaults.partitionDaysAhead
    const prepared: Prepared[] = []
    const generation = lanes.generation
    let last: { options: Submission['options'] | null; lane: number } = { options: null, lane: 0 }
    for (const submission of submissions) {
      const { options } = submission
      // Most batches have one set of options: their lane is looked up once.
      if (last.options !== options) {
        const lane = this.#laneOf(options, tenantId)
        last = { options, lane: typeof lane === 'number' ? lane : await lane }
      }
      const dueMs = options.delayMs === null ? options.dueMs : Math.round(nowMs + options.delayMs)
      prepared.push({
        id: this.#ids.next(runIdTimeFor(dueMs, nowMs, daysAhead)),
        tenantId,
        lane: last.lane,
        generation,
        dueMs,
        submission,
        gate: submission.flow ? gateOf(tenantId, submission.flow) : null,
      })
    }
    return prepared
  }

  #laneOf(options: Submission['options'], tenantId: number): number | Promise<number> {
    const { lanes } = this.#options
    const { queue, handler, priority } = options
    const key = { tenantId, queue, handler, priority }
    return lanes.known(key) ?? this.#retryingLookup(() => lanes.intern(key))
  }

  /** Looks the runs' lanes up in the database again, ignoring the cache. */
  lookAgain(runs: readonly Prepared[]): Promise<readonly Prepared[]> {
    this.#options.lanes.forget()
    return this.current(runs)
  }

  /** Returns the runs with lanes that the server of the open connection knows. */
  async current(runs: readonly Prepared[]): Promise<readonly Prepared[]> {
    const { lanes } = this.#options
    const { generation } = lanes
    if (runs.every((run) => run.generation === generation)) return runs
    const found: Prepared[] = []
    for (const run of runs) {
      const lane = await this.#laneOf(run.submission.options, run.tenantId)
      found.push({ ...run, lane, generation })
    }
    return this.current(found)
  }

  /** Retries a lookup before a submission for as long as the submission itself. */
  #retryingLookup<T>(lookup: () => Promise<T>): Promise<T> {
    return retrying({ clock: this.#options.database.localClock, deadlineMs: DEADLINE_MS }, lookup)
  }

  async #readClock(): Promise<void> {
    const { database } = this.#options
    const sentAtMs = database.localClock.monotonicMs()
    const [row] = await database.control.run(readTime())
    if (row) database.clock.sample(sentAtMs, row.ms)
  }

  /** Resolves when the runs are committed: all of them or none. */
  submit(runs: readonly Prepared[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ runs, resolve, reject })
      this.#pendingRuns += runs.length
      // Outside the caller's context: the pump also carries runs of other callers.
      this.#options.database.ambient.outside(() => this.#pump())
    })
  }

  /** Submits in a transaction of the store; hints go out after its commit. */
  async submitIn(transaction: OpenTransaction, prepared: readonly Prepared[]): Promise<void> {
    const runs = await this.current(prepared)
    for (const call of this.inserts(runs, false)) await transaction.run(call)
    this.announce(transaction, runs)
  }

  /** After the commit, sends hints and rechecks the gates of these runs and the freed ones. */
  announce(
    transaction: OpenTransaction | null,
    runs: readonly Prepared[],
    freed: readonly bigint[] = [],
  ): void {
    const { database, signals } = this.#options
    const announce = () => {
      if (runs.length > 0) signals.due(new Set(runs.map((run) => run.lane)))
      this.#recheckGates(runs, freed)
    }
    void database.ambient.afterCommit(announce, transaction)
  }

  #pump(): void {
    while (this.#pending.length > 0) {
      const busy = this.#options.database.submit.length - this.#idle.length
      if (this.#pendingRuns < RUNS_TO_SPREAD * busy) return
      const channel = this.#idle.pop()
      if (!channel) return
      const batch: Pending[] = []
      let size = 0
      let length = 0
      for (let next = this.#pending[0]; next; next = this.#pending[0]) {
        size += next.runs.length
        length += lengthOf(next.runs)
        if (batch.length > 0 && (size > BATCH || length > STATEMENT_LENGTH_MAX)) break
        batch.push(next)
        this.#pending.shift()
        this.#pendingRuns -= next.runs.length
      }
      void this.#commit(channel, batch).finally(() => {
        this.#idle.push(channel)
        this.#pump()
      })
    }
  }

  async #commit(channel: Channel, batch: readonly Pending[]): Promise<void> {
    const [only] = batch
    const runs = batch.length === 1 && only ? only.runs : batch.flatMap(({ runs }) => runs)
    try {
      await retrying(
        {
          clock: this.#options.database.localClock,
          deadlineMs: DEADLINE_MS,
          ensurePartitions: this.#options.ensurePartitions,
        },
        (again) => this.#send(channel, runs, again),
      )
      for (const pending of batch) pending.resolve()
    } catch (error) {
      if (batch.length > 1 && isDataFault(error)) {
        const half = batch.length >> 1
        await this.#commit(channel, batch.slice(0, half))
        await this.#commit(channel, batch.slice(half))
      } else for (const pending of batch) pending.reject(error)
    }
  }

  async #send(channel: Channel, prepared: readonly Prepared[], again: boolean): Promise<void> {
    const { signals } = this.#options
    await channel.ready()
    const runs = await this.current(prepared)
    const lanes = new Set(runs.map((run) => run.lane))
    const inserts = this.inserts(runs, again)
    const [first] = inserts
    const sent = inserts.length === 1 && first ? channel.run(first) : channel.runAll(inserts)
    const hint = signals.pipelined(lanes)
    // A lost hint costs a poll.
    if (hint) channel.query(hint.statement, hint.values).catch(() => undefined)
    await sent
    if (hint) signals.here(lanes)
    else signals.due(lanes)
    this.#recheckGates(runs)
  }

  /** Runs may wait in vain for a gate that was full at the insert and is free now. */
  #recheckGates(runs: readonly Prepared[], freed: readonly bigint[] = []): void {
    const gates = [...freed, ...runs.flatMap(({ gate }) => gate ?? [])]
    // If this fails, the reaper releases the runs.
    if (gates.length > 0) this.#options.parked.releaseGates(gates).catch(() => undefined)
  }

  /**
   * The calls that insert these runs. `mayWait`: the caller calls `announce`, so runs of a full
   * gate may wait at once.
   */
  inserts(runs: readonly Prepared[], again: boolean, mayWait = true): readonly Call<null>[] {
    const nowMs = this.#options.database.clock.nowMs()
    return this.#inserts.of(runs, { nowMs, horizonMs: this.horizonMs, again, mayWait })
  }
}

function lengthOf(runs: readonly Prepared[]): number {
  let length = 0
  for (const run of runs) length += run.submission.payload.length
  return length
}
