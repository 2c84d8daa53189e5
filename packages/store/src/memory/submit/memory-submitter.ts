/** The client's store in memory: submitting and steering runs. */
import type { Clock, Random } from '@punctual/core/clock'
import { defaults } from '@punctual/core/errors'
import type { LaneKey } from '@punctual/core/flow'
import type { CompiledJob } from '@punctual/core/job'
import { RunIdSource, runIdTimeFor } from '@punctual/core/run'
import { TimingCache } from '@punctual/core/schedule'
import type { Submission, SubmitOutcome } from '@punctual/core/submit'
import { retrying } from '../../connection/retrying.ts'
import { insertJob, triggerJob } from '../plan/plan.ts'
import { cancelIn, cancelInLeases, rescheduleIn, type WaitingPlace } from '../runs/steer.ts'
import type { MemoryStoreOptions } from '../tables/line.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import type { MemoryWorkStore } from '../work/memory-work-store.ts'
import { insertRun, internLane, type PreparedRun, takeKey } from './insert-runs.ts'

const SUBMIT_DEADLINE_MS = 30_000
const KEYED_DEADLINE_MS = 10_000
const CANCEL_ROUNDS = 3

export interface MemoryAccepted {
  readonly id: string
  readonly created: boolean
  readonly outcome: SubmitOutcome
}

const created = ({ id }: PreparedRun): MemoryAccepted => ({ id, created: true, outcome: 'created' })

export class MemorySubmitter {
  readonly #options: MemoryStoreOptions
  readonly #db: MemoryDatabase
  readonly #clock: Clock
  readonly #work: MemoryWorkStore
  readonly #ids: RunIdSource
  readonly #timings = new TimingCache()

  constructor(options: MemoryStoreOptions, work: MemoryWorkStore, random: Random) {
    this.#options = options
    this.#db = options.db
    this.#clock = options.clock
    this.#work = work
    this.#ids = new RunIdSource(random)
  }

  #call<T>(what: string, work: () => T): Promise<T> {
    return this.#options.line.call(what, work)
  }

  /** Returns the number of a lane. */
  lane(key: LaneKey): Promise<number> {
    return this.#call('intern-lane', () => internLane(this.#db, key))
  }

  async prepare(submission: Submission, id?: string): Promise<PreparedRun> {
    const { queue, handler, priority, delayMs, dueMs: atMs } = submission.options
    const lane = await this.lane({ tenantId: 1, queue, handler, priority })
    const nowMs = this.#db.nowMs
    const dueMs = delayMs === null ? atMs : Math.round(nowMs + delayMs)
    const timeMs = runIdTimeFor(dueMs, nowMs, defaults.partitionDaysAhead)
    return { id: id ?? this.#ids.next(timeMs), lane, dueMs, submission }
  }

  /** After a lost reply, the submission is sent again under the same id. */
  async submit(run: PreparedRun): Promise<MemoryAccepted> {
    const { horizonMs, hints } = this.#options
    const { key } = run.submission.options
    const deadlineMs = key === null ? SUBMIT_DEADLINE_MS : KEYED_DEADLINE_MS
    const accepted = await retrying({ clock: this.#clock, deadlineMs }, (again) =>
      this.#call('submit', (): MemoryAccepted => {
        if (key !== null) {
          if (again && this.#db.runs.has(run.id)) return created(run)
          const holder = takeKey(this.#db, key, run.id)
          if (holder !== run.id) return { id: holder, created: false, outcome: 'existing' }
        }
        insertRun(this.#db, run, horizonMs, again)
        return created(run)
      }),
    )
    hints.queued([run.lane])
    return accepted
  }

  async job(job: CompiledJob, id?: string): Promise<string> {
    const { queue, handler, priority } = job.run
    const lane = await this.lane({ tenantId: 1, queue, handler, priority })
    const jobId = id ?? this.#ids.next(this.#db.nowMs)
    await this.#call('insert-job', () => {
      if (!this.#db.jobs.has(jobId)) insertJob(this.#db, { id: jobId, job, lane }, this.#timings)
    })
    this.#options.hints.jobsChanged()
    return jobId
  }

  async trigger(jobId: string, id?: string): Promise<string> {
    const runId = id ?? this.#ids.next(this.#db.nowMs)
    await this.#call('trigger', () => triggerJob(this.#db, jobId, runId))
    this.#options.hints.queued([])
    return runId
  }

  async #cancelWaiting(id: string, reason: string): Promise<boolean> {
    const places: WaitingPlace[] = ['later', 'queue', 'parked', 'later', 'queue']
    for (const place of places) {
      const job = await this.#call(`cancel-in-${place}`, () =>
        cancelIn(this.#db, place, id, reason),
      )
      if (job === undefined) continue
      if (job !== null) await this.#work.release([job])
      return true
    }
    return false
  }

  async cancel(id: string, reason: string): Promise<'cancelled' | 'cancelling' | null> {
    for (let round = 0; round < CANCEL_ROUNDS; round++) {
      if (await this.#cancelWaiting(id, reason)) return 'cancelled'
      const now = await this.#call('cancel-in-leases', () => cancelInLeases(this.#db, id, reason))
      if (now) this.#options.hints.cancels([id])
      if (now !== null) return 'cancelling'
    }
    return null
  }

  /** Asks a random worker to drain; returns a function that repeats or withdraws the request. */
  async drain(random: Random): Promise<(on: boolean) => Promise<void>> {
    const ids = this.#db.sessions.values().map(({ id }) => id)
    const id = ids[Math.floor(random.fraction() * ids.length)]
    const set = async (on: boolean) => {
      if (id !== undefined) await this.#work.askToDrain(id, on)
      if (id !== undefined) this.#options.hints.sessions([id])
    }
    await set(true)
    return set
  }

  /** Pauses the queue; returns a function that pauses or resumes it. */
  async pause(queue: string = defaults.queue): Promise<(on: boolean) => Promise<void>> {
    const set = async (on: boolean) => {
      await this.#call(on ? 'pause-queue' : 'resume-queue', () => {
        if (on) this.#db.pauses.set(queue, queue)
        else this.#db.pauses.delete(queue)
      })
      if (!on) this.#options.hints.queued([])
    }
    await set(true)
    return set
  }

  async reschedule(id: string, dueMs: number): Promise<boolean> {
    const { horizonMs, hints } = this.#options
    for (const place of ['later', 'queue', 'later'] as const)
      if (
        await this.#call(`reschedule-in-${place}`, () =>
          rescheduleIn(this.#db, place, id, dueMs, horizonMs),
        )
      ) {
        hints.queued([])
        return true
      }
    return false
  }
}
