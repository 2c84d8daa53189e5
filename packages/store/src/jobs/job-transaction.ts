/**
 * Changes a job: the transaction locks its cursor, so that planners skip it, may take back the runs
 * of future slots, and commits all of it together. A run that a worker claimed first stays.
 */
import { invariant } from '@punctual/core/errors'
import { nextSlotOf, slotReasons } from '@punctual/core/job'
import type { TimingCache } from '@punctual/core/schedule'
import type pg from 'pg'
import { int8ArrayOfNumbers, uuidArray } from '../connection/binary-arrays.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { retrying } from '../connection/retrying.ts'
import { cancelInLater, cancelInParked, cancelInQueue } from '../runs/statements.gen.ts'
import type { Call } from '../sql/typed.ts'
import type { SlotRange } from './passed-slots.ts'
import { type StoredJob, toJob } from './rows.ts'
import {
  findJobs,
  findLastEdit,
  findLiveRun,
  insertSlot,
  type ListUnstartedRow,
  listUnstarted,
  lockCursor,
  readClock,
  takeBackRuns,
} from './statements.gen.ts'

const DEADLINE_MS = 30_000
const SUPERSEDED = 'superseded'
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
/** How many runs of a job one statement examines. */
const EXAMINED = 5_000
/** A run may move meanwhile: each place has its own snapshot, and two are searched twice. */
const cancelling = [cancelInLater, cancelInQueue, cancelInParked, cancelInLater, cancelInQueue]
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A job whose cursor is locked. */
export interface HeldJob {
  readonly stored: StoredJob
  /** By the database's clock. */
  readonly nowMs: number
  readonly cursorMs: number
  /** Whether its tenant is suspended. */
  readonly suspended: boolean
  /** Takes back the decisions for future slots. */
  takeBack(): Promise<TakenBack>
  /**
   * Announces the instants of the rows that follow. A missing day is created after this try, on
   * another connection: transactions that hold one connection and wait for another would deadlock.
   */
  writesOf(instantsMs: readonly number[]): void
  /** Runs entered the queues of these lanes: announced after the commit makes them visible. */
  queued(lanes: readonly number[]): void
}

export interface TakenBack {
  /** The last future slot whose decision stays; null when none does. */
  readonly stayMs: number | null
  /** How many runs were taken back, and count as never made. */
  readonly runs: number
  readonly decisions: number
}

const NOTHING: TakenBack = { stayMs: null, runs: 0, decisions: 0 }

type EnsureDaysOf = (instantsMs: readonly number[]) => Promise<void>

export interface JobTransactionOptions {
  readonly database: Database
  readonly clientPool: ClientPool
  readonly timings: TimingCache
  readonly ensureDaysOf: EnsureDaysOf
  /** Runs entered the queues of these lanes. */
  readonly onQueued: (lanes: readonly number[]) => void
}

export class JobTransaction {
  readonly #database: Database
  readonly #clientPool: ClientPool
  readonly #timings: TimingCache
  readonly #ensureDaysOf: EnsureDaysOf
  readonly #onQueued: (lanes: readonly number[]) => void

  constructor(options: JobTransactionOptions) {
    this.#database = options.database
    this.#clientPool = options.clientPool
    this.#timings = options.timings
    this.#ensureDaysOf = options.ensureDaysOf
    this.#onQueued = options.onQueued
  }

  async find(nameOrId: string, tenantId: number): Promise<StoredJob | null> {
    const isId = UUID.test(nameOrId)
    const call = isId
      ? findJobs(tenantId, uuidArray([nameOrId]), null)
      : findJobs(tenantId, null, [nameOrId])
    const [row] = await this.#database.control.run(call)
    return row ? toJob(row) : null
  }

  /** Runs the work while the job's cursor is locked; null when the job does not exist. */
  steer<T>(
    nameOrId: string,
    tenantId: number,
    work: (client: pg.Client, held: HeldJob) => Promise<T>,
  ): Promise<{ id: string; result: T } | null> {
    const instantsMs: number[] = []
    const options = {
      ...{ clock: this.#database.localClock, deadlineMs: 10_000 },
      ensurePartitions: () => this.#ensureDaysOf(instantsMs),
    }
    const writesOf = (more: readonly number[]) => void instantsMs.push(...more)
    return retrying(options, async () => {
      const found = await this.find(nameOrId, tenantId)
      if (!found) return null
      const lanes = new Set<number>()
      const queued = (more: readonly number[]) => {
        for (const lane of more) lanes.add(lane)
      }
      const steered = await this.transaction(async (client) => {
        const [lock] = await this.run(client, lockCursor(found.id))
        if (!lock) return null
        const { cursorMs, suspended } = lock
        const [clock] = await this.run(client, readClock())
        invariant(clock, 'the clock is one row')
        const nowMs = clock.ms
        const [row] = await this.run(client, findJobs(tenantId, uuidArray([found.id]), null))
        if (!row) return null
        const stored = toJob(row)
        const takeBack = () => this.#takeBack(client, stored, nowMs, cursorMs)
        const held = { stored, nowMs, cursorMs, suspended, takeBack, writesOf, queued }
        return { id: stored.id, result: await work(client, held) }
      })
      if (lanes.size > 0) this.#onQueued([...lanes])
      return steered
    })
  }

  async #takeBack(client: pg.Client, job: StoredJob, nowMs: number, cursorMs: number) {
    if (cursorMs <= nowMs) return NOTHING
    // Decisions that an earlier edit had to leave stay, even where the current rules have no slot.
    const [edit] = await this.run(client, findLastEdit(job.id))
    const editedMs = edit?.untilMs ?? 0
    const ahead = this.#slotsAhead(job, Math.max(nowMs, editedMs), cursorMs)
    const back = ahead.length > 0 ? await this.takeBackSlots(client, job.id, ahead, nowMs) : NOTHING
    return { ...back, stayMs: back.stayMs ?? (editedMs > nowMs ? editedMs : null) }
  }

  /** Future slots that may have been planned. */
  #slotsAhead(job: StoredJob, nowMs: number, cursorMs: number): number[] {
    // The cursor of a job without a rhythm is the slot that was decided last.
    const { kind } = job.rules.when
    if (kind === 'once' || kind === 'after-end') return cursorMs > nowMs ? [cursorMs] : []
    const next = nextSlotOf(job, job.rules, this.#timings)
    const slots: number[] = []
    for (let slotMs = next(nowMs); slotMs !== null && slotMs <= cursorMs; slotMs = next(slotMs))
      slots.push(slotMs)
    return slots
  }

  async takeBackSlots(
    client: pg.Client,
    jobId: string,
    slotsMs: readonly number[],
    nowMs: number,
  ): Promise<TakenBack> {
    const call = takeBackRuns(0, jobId, int8ArrayOfNumbers(slotsMs), SUPERSEDED, nowMs)
    const [back] = await this.run(client, call)
    invariant(back, 'taking back decisions returns one row')
    return back
  }

  /**
   * Ends every run of a job that has not started: runs of slots, future or missed, of backfills and
   * of triggers. A run that a worker claimed first, or that waits for a retry, continues. All in
   * one transaction, by bounded statements.
   */
  async endUnstarted(client: pg.Client, { id, tenantId }: StoredJob): Promise<void> {
    for (let after: string | null = FIRST_ID; after !== null; ) {
      const [page]: ListUnstartedRow[] = await this.run(client, listUnstarted(id, after, EXAMINED))
      const ids = page?.ids?.split(',') ?? []
      for (const cancelIn of ids.length > 0 ? cancelling : [])
        await this.run(client, cancelIn(0, uuidArray(ids), tenantId, SUPERSEDED))
      after = page?.after ?? null
    }
  }

  /** Stores one decision for slots that do not run; the partition of the last slot must exist. */
  async skipSlots(
    client: pg.Client,
    job: StoredJob,
    { fromMs, slotMs, slots }: SlotRange,
    reason: 'paused' | 'misfire' | 'asked',
  ): Promise<void> {
    const from = fromMs === slotMs ? null : fromMs
    const call = insertSlot(slotMs, job.id, from, slots, job.tenantId, slotReasons[reason])
    await this.run(client, call)
  }

  /** Whether the run of the job's last slot has not ended yet. */
  async hasLiveRun(client: pg.Client, jobId: string, cursorMs: number): Promise<boolean> {
    const [found] = await this.run(client, findLiveRun(jobId, cursorMs))
    return found?.live === true
  }

  transaction<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return this.#clientPool.pinned(work)
  }

  run<Row>(client: pg.Client, call: Call<Row>): Promise<Row[]> {
    return this.#database.runPrepared(client, call, DEADLINE_MS)
  }
}
