/** What people do to jobs that exist: pause, resume, delete, run now, skip a slot, run slots of the past. */
import {
  countSlots,
  type Job,
  lastSlot,
  nextSlotOf,
  PunctualError,
  type Random,
  RunIdSource,
  slotReasons,
  type TimingCache,
} from '@punctual/core'
import type pg from 'pg'
import { int8ArrayOfNumbers, uuidArray } from './binary-arrays.ts'
import type { Database } from './database.ts'
import type { HeldJob, JobConversation } from './job-conversation.ts'
import type { StoredJob } from './job-rows.ts'

export interface JobSteeringOptions {
  readonly database: Database
  readonly jobs: JobConversation
  readonly timings: TimingCache
  readonly random: Random
  readonly horizonMs: number
  readonly ensurePartitions: () => Promise<void>
  readonly ensureDaysOf: (instantsMs: readonly number[]) => Promise<void>
  readonly onQueued: (lanes: readonly number[]) => void
  readonly onChanged: () => void
}

export interface BackfillResult {
  readonly runs: number
  /** Slots that had run, or had been backfilled before. */
  readonly already: number
}

const BACKFILL_BATCH = 500

export class JobSteering {
  readonly #o: JobSteeringOptions
  readonly #jobs: JobConversation
  readonly #ids: RunIdSource
  #sequence = 0

  constructor(options: JobSteeringOptions) {
    this.#o = options
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
    this.#o.onChanged()
    return steered.result
  }

  /** False when it was paused already. */
  pause(nameOrId: string, note: string | null, tenantId: number): Promise<boolean> {
    return this.#steer(nameOrId, tenantId, async (client, held) => {
      if (held.stored.pausedAt) return false
      const stayMs = await held.takeBack()
      await this.#jobs.run(client, 'jobs/pause-job', [held.stored.id, note, held.nowMs, stayMs])
      return true
    })
  }

  /** Pauses those of these jobs that have had too many dead runs in a row. */
  async pauseFailing(jobIds: readonly string[]): Promise<void> {
    const { database } = this.#o
    const statement = database.statement('jobs/list-failing')
    for (const [id, tenantId, failures] of await database.read.query(statement, [
      uuidArray(jobIds),
    ])) {
      const note = `${failures} runs in a row are dead`
      await this.#jobs.steer(id as string, Number(tenantId), async (client, held) => {
        if (held.stored.pausedAt) return
        const stayMs = await held.takeBack()
        await this.#jobs.run(client, 'jobs/pause-job', [held.stored.id, note, held.nowMs, stayMs])
      })
    }
  }

  /** Slots that passed meanwhile are skipped, with one row. False when it was not paused. */
  resume(nameOrId: string, tenantId: number): Promise<boolean> {
    return this.#steer(nameOrId, tenantId, async (client, held) => {
      const { stored, nowMs, cursorMs } = held
      if (!stored.pausedAt) return false
      const { nextMs, skipped } = this.#passed(stored, nowMs, cursorMs)
      if (skipped) {
        const { fromMs, slotMs, slots } = skipped
        const { paused } = slotReasons
        await this.#o.ensureDaysOf([slotMs])
        const from = fromMs === slotMs ? null : fromMs
        const values = [slotMs, stored.id, from, slots, stored.tenantId, paused]
        await this.#jobs.run(client, 'jobs/insert-slot', values)
      }
      const values = [stored.id, nextMs, stored.anchorMs, skipped?.slotMs ?? null]
      await this.#jobs.run(client, 'jobs/resume-job', values)
      return true
    })
  }

  /** What passed while a job was paused, and what comes next. */
  #passed(job: StoredJob, nowMs: number, cursorMs: number) {
    const over = job.runsLeft === 0
    if (job.rules.when.kind === 'after-end') return { nextMs: over ? null : nowMs, skipped: null }
    const next = nextSlotOf(job, job.rules, this.#o.timings)
    const onceMs = job.rules.when.kind === 'once' ? job.anchorMs : null
    const firstMs = onceMs === null ? next(cursorMs) : onceMs > cursorMs ? onceMs : null
    const endMs = job.endAt?.getTime() ?? Number.POSITIVE_INFINITY
    if (firstMs === null || firstMs >= endMs || over) return { nextMs: null, skipped: null }
    if (firstMs > nowMs) return { nextMs: firstMs, skipped: null }
    const slotMs = lastSlot(next, firstMs, Math.min(nowMs, endMs - 1))
    const nextMs = next(slotMs)
    return {
      nextMs: nextMs !== null && nextMs < endMs ? nextMs : null,
      skipped: { fromMs: firstMs, slotMs, slots: countSlots(next, firstMs, slotMs) },
    }
  }

  /** Runs that have not started are taken back; the ledger and the runs of the past stay. */
  async delete(nameOrId: string, tenantId: number): Promise<boolean> {
    const steered = await this.#jobs.steer(nameOrId, tenantId, async (client, held) => {
      await held.takeBack()
      await this.#jobs.run(client, 'jobs/delete-job', [held.stored.id, held.nowMs])
    })
    return steered !== null
  }

  /** Runs it now, apart from its slots. */
  async trigger(nameOrId: string, payload: string | null, tenantId: number): Promise<string> {
    const { database, onQueued, ensurePartitions } = this.#o
    const job = await this.#jobs.find(nameOrId, tenantId)
    if (!job) throw notFound(nameOrId)
    await ensurePartitions()
    const id = this.#ids.next(database.clock.nowMs())
    const values = [job.id, id, payload, this.#sequence++]
    const [row] = await database.read.query(database.statement('jobs/trigger-job'), values)
    if (!row) throw notFound(nameOrId)
    onQueued([Number(row[0])])
    return id
  }

  /** One slot ahead is not to run. */
  skip(nameOrId: string, slotMs: number, by: string | null, tenantId: number): Promise<void> {
    return this.#steer(nameOrId, tenantId, async (client, held) => {
      const { stored, nowMs, cursorMs } = held
      if (slotMs <= nowMs || !this.#isSlot(stored, slotMs)) throw notASlot(stored, slotMs)
      if (slotMs > cursorMs) {
        const values = [stored.id, slotMs, stored.tenantId, by]
        await this.#jobs.run(client, 'jobs/skip-slot', values)
        return
      }
      const back = await this.#jobs.takeBackSlots(client, stored.id, [slotMs])
      if (!back.has(slotMs)) throw notASlot(stored, slotMs)
      const values = [slotMs, stored.id, null, 1, stored.tenantId, slotReasons.asked]
      await this.#jobs.run(client, 'jobs/insert-slot', values)
    })
  }

  #isSlot(job: StoredJob, slotMs: number): boolean {
    if (job.rules.when.kind === 'once') return job.anchorMs === slotMs
    if (job.rules.when.kind === 'after-end') return job.nextAt?.getTime() === slotMs
    return nextSlotOf(job, job.rules, this.#o.timings)(slotMs - 1) === slotMs
  }

  /** Runs slots of the past that have not run, `paceMs` apart; none is run twice, however often it is asked. */
  async backfill(
    nameOrId: string,
    slotsMs: readonly number[],
    ran: ReadonlySet<number>,
    paceMs: number,
    tenantId: number,
  ): Promise<BackfillResult> {
    const { database, horizonMs, onQueued } = this.#o
    const job = await this.#jobs.find(nameOrId, tenantId)
    if (!job) throw notFound(nameOrId)
    const wanted = slotsMs.filter((slotMs) => !ran.has(slotMs))
    const nowMs = database.clock.nowMs()
    let runs = 0
    for (let i = 0; i < wanted.length; i += BACKFILL_BATCH) {
      const batch = wanted.slice(i, i + BACKFILL_BATCH)
      runs += await this.#jobs.transaction(async (client) => {
        const ids = batch.map(() => this.#ids.next(nowMs))
        const slots = int8ArrayOfNumbers(batch)
        const values = [job.id, job.tenantId, slots, uuidArray(ids)]
        const taken = await this.#jobs.run(client, 'jobs/take-backfills', values)
        const ours = new Set(taken.map(([id]) => id))
        const fresh = ids.flatMap((id, n) =>
          ours.has(id) ? [{ id, slotMs: batch[n] as number }] : [],
        )
        if (fresh.length === 0) return 0
        const dues = fresh.map((_, n) => Math.floor(nowMs + (runs + n) * paceMs))
        const lanes = await this.#jobs.run(client, 'jobs/insert-backfill-runs', [
          job.id,
          uuidArray(fresh.map(({ id }) => id)),
          int8ArrayOfNumbers(fresh.map(({ slotMs }) => slotMs)),
          int8ArrayOfNumbers(dues),
          horizonMs,
        ])
        onQueued(lanes.map(([lane]) => Number(lane)))
        return fresh.length
      })
    }
    return { runs, already: slotsMs.length - runs }
  }
}

function notFound(nameOrId: string): PunctualError {
  const message = `There is no job ${JSON.stringify(nameOrId)}. \`punctual jobs list\` shows those there are.`
  return new PunctualError('job_not_found', message, { id: nameOrId })
}

function notASlot(job: Job, slotMs: number): PunctualError {
  const at = new Date(slotMs).toISOString()
  return new PunctualError(
    'slot_not_found',
    `${at} is not a slot of ${job.name} that is still ahead. \`punctual jobs preview ${job.name}\` shows those.`,
    { field: 'slot', id: job.id },
  )
}
