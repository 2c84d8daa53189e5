/**
 * Accepts runs. Submissions that arrive while others are in flight share a statement and a commit,
 * so that many concurrent callers cost little more than one. A run's id is made here, before
 * anything is sent: a submission whose answer was lost is sent again under the same id and cannot
 * be doubled. A row that the database refuses is found by halving the batch, and only its caller
 * gets the error.
 *
 * Submissions with keys and those in a user's transaction take another path (keyed-submitter.ts,
 * with the statements of `inserts`).
 */
import type { Random } from '@punctual/core/clock'
import { defaults } from '@punctual/core/errors'
import { RunIdSource, runIdTimeFor } from '@punctual/core/run'
import type { Submission } from '@punctual/core/submit'
import {
  int4Array,
  int8ArrayOfNumbers,
  jsonbArray,
  textArray,
  uuidArray,
} from '../connection/binary-arrays.ts'
import type { Channel, Value } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { isDataFault } from '../connection/faults.ts'
import { retrying } from '../connection/retrying.ts'
import type { Signals } from '../connection/signals.ts'
import type { Statement } from '../connection/statements.ts'
import type { LaneRegistry } from '../lanes/registry.ts'
import { encodeFlow, gateOf } from './flow-keys.ts'

export interface Prepared {
  readonly id: string
  readonly tenantId: number
  readonly lane: number
  /** The generation of the lane registry when the lane was looked up. */
  readonly generation: number
  readonly dueMs: number | null
  readonly submission: Submission
  /** The gate of its concurrency key. */
  readonly gate: bigint | null
}

interface Pending {
  readonly runs: readonly Prepared[]
  resolve(): void
  reject(error: unknown): void
}

const BATCH = 1_000
const STATEMENT_LENGTH_MAX = 16_777_216
const DEADLINE_MS = 30_000

export interface SubmitterOptions {
  readonly database: Database
  readonly lanes: LaneRegistry
  readonly signals: Signals
  readonly random: Random
  readonly ensurePartitions: () => Promise<void>
  readonly horizonMs?: number
  readonly daysAhead?: number
  /** Runs with these gates were committed, and may wait for places that were freed meanwhile. */
  readonly onGated: (gates: readonly bigint[]) => Promise<void>
}

export class Submitter {
  readonly #options: SubmitterOptions
  readonly #ids: RunIdSource
  readonly #pending: Pending[] = []
  readonly #idle: Channel[]
  #sequence = 0
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
      if (last.options !== options) last = { options, lane: await this.#laneOf(options, tenantId) }
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
    const text = 'select extract(epoch from clock_timestamp())::float8 * 1000'
    const [row] = await database.control.query({ name: 'clock/read', text })
    database.clock.sample(sentAtMs, Number(row?.[0]))
  }

  /** Resolves when the runs are committed: all of them or none. */
  submit(runs: readonly Prepared[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ runs, resolve, reject })
      // Outside the caller's transaction: the pump also carries runs of other callers.
      this.#options.database.transactions.outside(() => this.#pump())
    })
  }

  /** Submits within the caller's transaction; hints go out after its commit. */
  async submitWithin(prepared: readonly Prepared[]): Promise<void> {
    const { database, signals } = this.#options
    const runs = await this.current(prepared)
    for (const { statement, values } of this.inserts(runs, false))
      await database.control.query(statement, values)
    signals.due(new Set(runs.map((run) => run.lane)))
    void database.transactions.afterCommit(() => this.committed(runs))
  }

  #pump(): void {
    while (this.#pending.length > 0) {
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
      }
      void this.#commit(channel, batch).finally(() => {
        this.#idle.push(channel)
        this.#pump()
      })
    }
  }

  async #commit(channel: Channel, batch: readonly Pending[]): Promise<void> {
    const runs =
      batch.length === 1 ? (batch[0] as Pending).runs : batch.flatMap((pending) => pending.runs)
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
    const sent =
      inserts.length === 1 && first
        ? channel.query(first.statement, first.values)
        : channel.pinned(inserts)
    const hint = signals.pipelined(lanes)
    // A lost hint costs a poll.
    if (hint) channel.query(hint.statement, hint.values).catch(() => undefined)
    await sent
    if (hint) signals.here(lanes)
    else signals.due(lanes)
    this.committed(runs)
  }

  /** Rechecks gates: runs may wait in vain for one that was full at the insert and is free now. */
  committed(runs: readonly Prepared[], freed: readonly bigint[] = []): void {
    const gates = [...freed, ...runs.flatMap(({ gate }) => gate ?? [])]
    // If this fails, the reaper releases the runs.
    if (gates.length > 0) this.#options.onGated(gates).catch(() => undefined)
  }

  /**
   * The statements that insert these runs: one for each distinct set of rare options, usually one.
   * `mayWait`: the caller calls `committed` after the commit, so runs of a full gate may wait at
   * once.
   */
  inserts(
    runs: readonly Prepared[],
    again: boolean,
    mayWait = true,
  ): { statement: Statement; values: Value[] }[] {
    const { database } = this.#options
    // Runs that are clearly within the horizon need no check against it.
    const soonMs = database.clock.nowMs() + this.horizonMs / 2
    const inserts = []
    for (const group of inPieces(byShape(runs))) {
      const first = group[0] as Prepared
      const { options } = first.submission
      const gated = first.submission.flow !== undefined
      const soon =
        !again && !gated && group.every((run) => run.dueMs === null || run.dueMs < soonMs)
      const list = <T>(
        column: (run: Prepared) => T | null,
        encode: (values: (T | null)[]) => Buffer,
      ) => (group.some((run) => column(run) !== null) ? encode(group.map(column)) : null)
      const plain = again ? 'insert-runs-again' : soon ? 'insert-due-runs' : 'insert-runs'
      const path = gated ? 'insert-gated-runs' : plain
      inserts.push({
        statement: database.statement(`submit/${path}`),
        values: [
          uuidArray(group.map((run) => run.id)),
          textArray(group.map((run) => run.submission.payload)),
          list((run) => run.dueMs, int8ArrayOfNumbers),
          group.every((run) => run.lane === first.lane)
            ? null
            : int4Array(group.map((run) => run.lane)),
          list((run) => run.submission.options.key, textArray),
          list((run) => run.submission.options.labels, jsonbArray),
          first.lane,
          first.tenantId,
          options.maxAttempts,
          options.timeoutMs,
          options.traits,
          options.policy,
          options.createdBy,
          options.trace,
          this.#sequence,
          ...(soon ? [] : [this.horizonMs]),
          ...(gated ? [flowsOf(group), mayWait] : []),
        ],
      })
      this.#sequence = (this.#sequence + group.length) % (1 << 20)
    }
    return inserts
  }
}

function flowsOf(runs: readonly Prepared[]): Buffer {
  return jsonbArray(runs.map(({ tenantId, submission }) => encodeFlow(tenantId, submission.flow)))
}

function lengthOf(runs: readonly Prepared[]): number {
  let length = 0
  for (const run of runs) length += run.submission.payload.length
  return length
}

/** Bounds the payload of a statement; a larger group takes several, in one transaction. */
function* inPieces(groups: Iterable<readonly Prepared[]>): Iterable<readonly Prepared[]> {
  for (const group of groups) {
    let from = 0
    let length = 0
    for (let i = 0; i < group.length; i++) {
      length += (group[i] as Prepared).submission.payload.length
      if (length <= STATEMENT_LENGTH_MAX || i === from) continue
      yield group.slice(from, i)
      from = i
      length = (group[i] as Prepared).submission.payload.length
    }
    yield from === 0 ? group : group.slice(from)
  }
}

function byShape(runs: readonly Prepared[]): Iterable<readonly Prepared[]> {
  const first = runs[0]
  if (
    runs.every(
      (run) =>
        run.submission.options === first?.submission.options && run.tenantId === first.tenantId,
    )
  )
    return [runs]
  const groups = new Map<string, Prepared[]>()
  for (const run of runs) {
    const o = run.submission.options
    const shape = JSON.stringify([
      run.tenantId,
      o.maxAttempts,
      o.timeoutMs,
      o.traits,
      o.policy,
      o.createdBy,
      o.trace,
    ])
    const group = groups.get(shape)
    if (group) group.push(run)
    else groups.set(shape, [run])
  }
  return groups.values()
}
