/** Actions on existing jobs: pause, resume, delete, run now, skip a slot, backfill past slots. */
import type { AuditWrite } from '@punctual/core/audit'
import type { Random } from '@punctual/core/clock'
import { PunctualError } from '@punctual/core/errors'
import { type BackfillResult, type Job, nextSlotOf } from '@punctual/core/job'
import { RunIdSource } from '@punctual/core/run'
import type { TimingCache } from '@punctual/core/schedule'
import type pg from 'pg'
import type { AuditLog } from '../audit-log/audit-log.ts'
import { int8ArrayOfNumbers, uuidArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { listSlots } from '../ledger/statements.gen.ts'
import type { QuotaKeeper } from '../tenants/quota-keeper.ts'
import type { HeldJob, JobTransaction } from './job-transaction.ts'
import type { PassedDecisions } from './passed-decisions.ts'
import { passedSlots } from './passed-slots.ts'
import type { StoredJob } from './rows.ts'
import {
  deleteJob,
  deleteLoneJob,
  findLastEnd,
  insertBackfillRuns,
  listFailing,
  lockCursor,
  lockJob,
  moveCursor,
  pauseJob,
  resumeJob,
  skipSlot,
  takeBackfills,
  triggerJob,
} from './statements.gen.ts'

export interface JobSteeringOptions {
  readonly database: Database
  readonly jobs: JobTransaction
  readonly timings: TimingCache
  readonly passed: PassedDecisions
  readonly quotas: QuotaKeeper
  readonly random: Random
  readonly horizonMs: number
  readonly ensurePartitions: () => Promise<void>
  readonly onQueued: (lanes: readonly number[]) => void
  readonly onChanged: () => void
  /** Records jobs that were paused because of their failures. */
  readonly auditLog: AuditLog
}

export interface PausedJob {
  readonly id: string
  readonly name: string
  readonly note: string | null
}

const BACKFILL_BATCH = 500
/** How long a trigger waits for the deletion of its job to be committed or rolled back. */
const DELETION_MS = 10_000
const DELETION_PAUSE_MS = 50

export class JobSteering {
  readonly #options: JobSteeringOptions
  readonly #jobs: JobTransaction
  readonly #ids: RunIdSource
  /** Called when this process paused a job, at a user's request or because of its failures. */
  onPaused: (job: PausedJob) => void = () => undefined
  #sequence = 0

  constructor(options: JobSteeringOptions) {
    this.#options = options
    this.#jobs = options.jobs
    this.#ids = new RunIdSource(options.random)
  }

  async #steer<T>(
    nameOrId: string,
    tenantId: number,
    work: (client: pg.Client, held: HeldJob) => Promise<T>,
  ): Promise<T> {
    const steered = await this.#jobs.steer(nameOrId, tenantId, work)
    if (steered === null) throw notFound(nameOrId)
    this.#options.onChanged()
    return steered.result
  }

  /** Locks a job until the caller's transaction ends; returns null when it does not exist. */
  async held(nameOrId: string, tenantId: number): Promise<StoredJob | null> {
    const { database } = this.#options
    const job = await this.#jobs.find(nameOrId, tenantId)
    if (!job) return null
    await database.control.run(lockCursor(job.id))
    return this.#jobs.find(job.id, tenantId)
  }

  /** False when it was already paused. */
  async pause(nameOrId: string, note: string | null, tenantId: number): Promise<boolean> {
    const paused = await this.#steer(nameOrId, tenantId, (client, held) =>
      this.#pause(client, held, note),
    )
    if (paused) await this.#options.database.ambient.afterCommit(() => this.onPaused(paused))
    return paused !== null
  }

  /** Null when it was already paused. */
  async #pause(client: pg.Client, held: HeldJob, note: string | null): Promise<PausedJob | null> {
    const { id, name, pausedAt } = held.stored
    if (pausedAt) return null
    // Slots before the pause were not paused: they are caught up as without it.
    const passed = await this.#options.passed.decide(client, held)
    const { stayMs, runs } = await held.takeBack()
    const runsLeft = passed.runsLeft === null ? null : passed.runsLeft + runs
    const call = pauseJob(id, note, held.nowMs, stayMs, runsLeft, passed.lastMs)
    await this.#jobs.run(client, call)
    return { id, name, note }
  }

  /** Pauses the jobs among these that have had too many dead runs in a row. */
  async pauseFailing(jobIds: readonly string[]): Promise<void> {
    const { database } = this.#options
    for (const { jobId, tenantId, failures } of await database.control.run(
      listFailing(uuidArray(jobIds)),
    )) {
      const note = `${failures} runs in a row are dead`
      const steered = await this.#jobs.steer(jobId, tenantId, async (client, held) => {
        const paused = await this.#pause(client, held, note)
        if (paused)
          await this.#options.auditLog.append([pausedBySystem(paused, held.stored)], client)
        return paused
      })
      if (steered?.result) this.onPaused(steered.result)
    }
  }

  /** Skips the slots that passed during the pause, with one row. False when it was not paused. */
  resume(nameOrId: string, tenantId: number): Promise<boolean> {
    return this.#steer(nameOrId, tenantId, async (client, held) => {
      const { stored, nowMs, cursorMs } = held
      if (!stored.pausedAt) return false
      const { nextMs, anchorMs, passed } =
        stored.rules.when.kind === 'after-end'
          ? await this.#afterEnd(client, held)
          : {
              anchorMs: stored.anchorMs,
              ...passedSlots(stored, this.#options.timings, nowMs, cursorMs),
            }
      if (passed) {
        held.writesOf([passed.slotMs])
        await this.#jobs.skipSlots(client, stored, passed, 'paused')
      }
      const call = resumeJob(stored.id, nextMs, anchorMs, passed?.slotMs ?? null)
      await this.#jobs.run(client, call)
      return true
    })
  }

  /** An unfinished run decides the next slot when it ends; otherwise the last end does so now. */
  async #afterEnd(client: pg.Client, { stored, nowMs, cursorMs }: HeldJob) {
    const { id, rules, startAt } = stored
    const waits = stored.runsLeft === 0 || (await this.#jobs.hasLiveRun(client, id, cursorMs))
    if (waits) return { nextMs: null, anchorMs: stored.anchorMs, passed: null }
    const [last] = await this.#jobs.run(client, findLastEnd(id))
    const next = nextSlotOf(stored, rules, this.#options.timings)
    const followsMs = last ? next(last.endMs ?? 0) : null
    const nextMs = Math.max(nowMs, startAt?.getTime() ?? 0, followsMs ?? 0)
    // The anchor holds the end of the last run until a planner has computed from it: done here.
    return { nextMs, anchorMs: null, passed: null }
  }

  /** Ends all of its runs that have not started; the ledger and past runs stay. */
  async delete(nameOrId: string, tenantId: number): Promise<boolean> {
    const steered = await this.#jobs.steer(nameOrId, tenantId, async (client, held) => {
      await held.takeBack()
      await this.#jobs.run(client, lockJob(held.stored.id))
      await this.#jobs.endUnstarted(client, held.stored)
      await this.#jobs.run(client, deleteJob(held.stored.id, held.nowMs))
    })
    return steered !== null || this.#deleteLone(nameOrId, tenantId)
  }

  /** A job that has lost its cursor has nothing to lock. */
  async #deleteLone(nameOrId: string, tenantId: number): Promise<boolean> {
    const { database } = this.#options
    const found = await this.#jobs.find(nameOrId, tenantId)
    if (!found || found.hasCursor) return false
    return (await database.control.run(deleteLoneJob(found.id))).length > 0
  }

  /** Runs the job now, independently of its slots. */
  async trigger(nameOrId: string, payload: string | null, tenantId: number): Promise<string> {
    const { database, onQueued, ensurePartitions } = this.#options
    const job = await this.#jobs.find(nameOrId, tenantId)
    if (!job) throw notFound(nameOrId)
    await this.#options.quotas.admitTrigger(tenantId, payload)
    await ensurePartitions()
    const id = this.#ids.next(database.clock.nowMs())
    const call = triggerJob(job.id, id, payload, this.#sequence++)
    // While a transaction is deleting the job, it may still be rolled back.
    for (let left = DELETION_MS / DELETION_PAUSE_MS; left > 0; left--) {
      const [triggered] = await database.control.run(call)
      if (triggered) {
        onQueued([triggered.lane])
        return id
      }
      if (!(await this.#jobs.find(job.id, tenantId))) break
      await database.localClock.sleep(DELETION_PAUSE_MS)
    }
    throw notFound(nameOrId)
  }

  /** Skips one future slot. */
  skip(nameOrId: string, slotMs: number, by: string | null, tenantId: number): Promise<void> {
    return this.#steer(nameOrId, tenantId, async (client, held) => {
      const { stored, nowMs, cursorMs } = held
      if (slotMs <= nowMs || !this.#isSlot(stored, slotMs)) throw notASlot(stored, slotMs)
      const back = await this.#takeBackRun(client, held, slotMs)
      const nextMs = back ? this.#nextAfterLast(stored, cursorMs) : null
      const call = skipSlot(stored.id, slotMs, stored.tenantId, by, back ? 1 : 0, nextMs)
      await this.#jobs.run(client, call)
      const range = { fromMs: slotMs, slotMs, slots: 1 }
      if (back) await this.#jobs.skipSlots(client, stored, range, 'asked')
    })
  }

  /** False when the slot has no run: it is not planned yet, or already skipped. */
  async #takeBackRun(client: pg.Client, held: HeldJob, slotMs: number): Promise<boolean> {
    const { stored, nowMs, cursorMs } = held
    if (slotMs > cursorMs) return false
    const call = listSlots(stored.id, int8ArrayOfNumbers([slotMs]))
    const [slot] = await this.#jobs.run(client, call)
    if (slot?.decision !== 'run') return false
    const { runs } = await this.#jobs.takeBackSlots(client, stored.id, [slotMs], nowMs)
    if (runs === 0) throw notASlot(stored, slotMs)
    return true
  }

  /** The next slot of a job whose last run was made and then taken back. */
  #nextAfterLast(job: StoredJob, cursorMs: number): number | null {
    if (job.runsLeft !== 0 || job.pausedAt) return null
    const nextMs = nextSlotOf(job, job.rules, this.#options.timings)(cursorMs)
    return nextMs !== null && nextMs < (job.endAt?.getTime() ?? Number.POSITIVE_INFINITY)
      ? nextMs
      : null
  }

  #isSlot(job: StoredJob, slotMs: number): boolean {
    const { startAt, endAt } = job
    if (startAt && slotMs < startAt.getTime()) return false
    if (endAt && slotMs >= endAt.getTime()) return false
    if (job.rules.when.kind === 'once') return job.anchorMs === slotMs
    if (job.rules.when.kind === 'after-end') return job.nextAt?.getTime() === slotMs
    return nextSlotOf(job, job.rules, this.#options.timings)(slotMs - 1) === slotMs
  }

  /**
   * Decides the slots that have passed undecided; returns the instant up to which all slots have a
   * decision. A backfill must come after that: otherwise both the backfill and the planner would
   * run an undecided slot.
   */
  async decidePassed(nameOrId: string, tenantId: number): Promise<number> {
    await this.#options.quotas.checkActive(tenantId)
    return this.#steer(nameOrId, tenantId, async (client, held) => {
      const { nextMs, lastMs, runsLeft } = await this.#options.passed.decide(client, held)
      const call = moveCursor(held.stored.id, nextMs, lastMs, runsLeft)
      if (lastMs > held.cursorMs) await this.#jobs.run(client, call)
      return nextMs !== null && nextMs <= held.nowMs ? lastMs : held.nowMs
    })
  }

  /** Runs past slots that have not run, `paceMs` apart; repeated calls run no slot twice. */
  async backfill(
    nameOrId: string,
    slotsMs: readonly number[],
    ran: ReadonlySet<number>,
    paceMs: number,
    tenantId: number,
  ): Promise<BackfillResult> {
    const { database } = this.#options
    const job = await this.#jobs.find(nameOrId, tenantId)
    if (!job) throw notFound(nameOrId)
    await this.#options.quotas.checkActive(tenantId)
    const wanted = slotsMs.filter((slotMs) => !ran.has(slotMs))
    const nowMs = database.clock.nowMs()
    let runs = 0
    for (let i = 0; i < wanted.length; i += BACKFILL_BATCH) {
      const batch = wanted.slice(i, i + BACKFILL_BATCH)
      const dueMs = (n: number) => Math.floor(nowMs + (runs + n) * paceMs)
      const made = await this.#jobs.transaction((client) =>
        this.#backfillBatch(client, job, batch, dueMs),
      )
      // Announced after the commit: before it the runs are invisible.
      if (made.lanes.length > 0) this.#options.onQueued(made.lanes)
      runs += made.runs
    }
    return { runs, already: slotsMs.length - runs }
  }

  async #backfillBatch(
    client: pg.Client,
    job: StoredJob,
    slotsMs: readonly number[],
    dueMs: (n: number) => number,
  ): Promise<{ runs: number; lanes: number[] }> {
    const { database, horizonMs } = this.#options
    // A deletion at the same time waits for this lock, and then ends these runs, too.
    const [lock] = await this.#jobs.run(client, lockCursor(job.id))
    if (!lock) throw notFound(job.name)
    const wanted = slotsMs.map((slotMs) => ({ slotMs, id: this.#ids.next(database.clock.nowMs()) }))
    const ids = wanted.map(({ id }) => id)
    const taking = takeBackfills(
      ...([job.id, job.tenantId, int8ArrayOfNumbers(slotsMs), uuidArray(ids)] as const),
    )
    const taken = await this.#jobs.run(client, taking)
    const ours = new Set(taken.map(({ runId }) => runId))
    const fresh = wanted.filter(({ id }) => ours.has(id))
    if (fresh.length === 0) return { runs: 0, lanes: [] }
    const inserting = insertBackfillRuns(
      job.id,
      uuidArray(fresh.map(({ id }) => id)),
      int8ArrayOfNumbers(fresh.map(({ slotMs }) => slotMs)),
      int8ArrayOfNumbers(fresh.map((_, n) => dueMs(n))),
      horizonMs,
    )
    const lanes = await this.#jobs.run(client, inserting)
    return { runs: fresh.length, lanes: lanes.map(({ lane }) => lane) }
  }
}

function notFound(nameOrId: string): PunctualError {
  const message = `There is no job ${JSON.stringify(nameOrId)}. \`punctual jobs list\` lists the existing jobs.`
  return new PunctualError('job_not_found', message, { id: nameOrId })
}

function notASlot(job: Job, slotMs: number): PunctualError {
  const at = new Date(slotMs).toISOString()
  return new PunctualError(
    'slot_not_found',
    `${at} is not a slot of ${job.name} that is still ahead. \`punctual jobs preview ${job.name}\` lists the next ones.`,
    { field: 'slot', id: job.id },
  )
}

function pausedBySystem({ id, name, note }: PausedJob, { tenantId }: StoredJob): AuditWrite {
  return {
    tenantId,
    actor: { kind: 'system' },
    action: 'job.pause',
    target: { kind: 'job', id, name },
    before: { pausedAt: null, pausedNote: null },
    after: { pausedNote: note },
    note,
  }
}
