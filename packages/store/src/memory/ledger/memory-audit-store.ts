/** Implements the auditor's store in memory. */
import {
  type AuditedJob,
  decidedUntil,
  decodeRules,
  erasOf,
  expectedSlots,
  isSlotOf,
  matchSlots,
} from '@punctual/core/job'
import type {
  AuditorStore,
  AuditPage,
  QueuePage,
  SlotCheck,
  SlotSample,
} from '@punctual/core/ports'
import { TimingCache } from '@punctual/core/schedule'
import { versionsOf } from '../jobs/held-job.ts'
import { slotKey } from '../plan/plan.ts'
import type { MemoryStoreOptions } from '../tables/line.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import type { MemoryWorkStore } from '../work/memory-work-store.ts'

const WAITING = ['queue', 'later', 'parked', 'leases'] as const

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

export class MemoryAuditStore implements AuditorStore {
  readonly #options: MemoryStoreOptions
  readonly #db: MemoryDatabase
  readonly #work: MemoryWorkStore
  readonly #timings = new TimingCache()

  constructor(options: MemoryStoreOptions, work: MemoryWorkStore) {
    this.#options = options
    this.#db = options.db
    this.#work = work
  }

  #call<T>(what: string, work: () => T): Promise<T> {
    return this.#options.line.call(what, work)
  }

  auditPage(after: string | null, limit: number): Promise<AuditPage> {
    return this.#call('audit-page', () => {
      const jobs = auditedJobs(this.#db).filter(({ id }) => id > (after ?? ''))
      const page = jobs.sort(byId).slice(0, limit)
      const planning = this.#db.planners.values().some((untilMs) => untilMs > this.#db.nowMs)
      return {
        ...{ nowMs: this.#db.nowMs, planning, zonesCurrent: true, jobs: page },
        ...{ cursorMissing: [], jobMissing: [], rulesMissing: [] },
        next: page.length < limit ? null : (page.at(-1)?.id ?? null),
      }
    })
  }

  checkSlots(samples: readonly SlotSample[]): Promise<readonly SlotCheck[]> {
    return this.#call('check-slots', () =>
      // A job that was edited since it was read is judged by its present rules.
      auditedJobs(this.#db).flatMap((job) => {
        const sample = samples.find((one) => one.job.id === job.id)
        if (!sample) return []
        const match = checkSlots(this.#db, { ...sample, job }, this.#timings)
        return [{ ...match, job, rest: null, lost: [] }]
      }),
    )
  }

  straySlots(fromMs: number, untilMs: number, limit: number) {
    return this.#call('stray-slots', () => {
      return this.#db.slots
        .values()
        .filter(({ slotMs }) => slotMs >= fromMs && slotMs <= untilMs)
        .slice(0, limit)
        .filter(({ jobId, slotMs }) => {
          return !isSlotOf(jobId, allErasOf(this.#db, jobId), this.#timings, slotMs)
        })
        .map(({ jobId, slotMs }) => ({ jobId, slotMs }))
    })
  }

  repairCursor(job: AuditedJob, nextMs: number): Promise<boolean> {
    return this.#call('repair-cursor', () => {
      const cursor = this.#db.cursors.get(job.id)
      if (!cursor || cursor.version !== job.version || cursor.paused) return false
      if (cursor.runsLeft === 0) return false
      if (cursor.nextMs !== job.nextMs || cursor.cursorMs !== job.cursorMs) return false
      this.#db.cursors.set(job.id, { ...cursor, nextMs })
      return true
    })
  }

  async rearm(jobs: readonly AuditedJob[]): Promise<readonly string[]> {
    if (jobs.length === 0) return []
    return this.#call('rearm', () => jobs.filter((job) => rearm(this.#db, job)).map(({ id }) => id))
  }

  async removeCursors(): Promise<readonly string[]> {
    return []
  }

  async freeHolds(after: string | null, limit: number): Promise<QueuePage> {
    const page = await this.#call('free-holds', () => {
      const held = this.#db.holds.entries().filter(([jobId]) => jobId > (after ?? ''))
      const looked = held.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, limit)
      const freed = looked.filter(([, runId]) => !isSomewhere(this.#db, runId))
      for (const [jobId] of freed) this.#db.holds.delete(jobId)
      return {
        next: looked.length < limit ? null : (looked.at(-1)?.[0] ?? null),
        runs: freed.map(([jobId, runId]) => ({ jobId, runId })),
      }
    })
    await this.#work.release(page.runs.map(({ jobId }) => jobId))
    return page
  }

  freeParked(olderThanMs: number): Promise<QueuePage['runs']> {
    return this.#call('list-free-parked', () =>
      this.#db.parked
        .values()
        .filter(({ gate, parkedMs }) => gate === null && parkedMs < this.#db.nowMs - olderThanMs)
        .flatMap(({ jobId, runId }) =>
          jobId === null || this.#db.holds.has(jobId) ? [] : [{ jobId, runId }],
        ),
    )
  }

  resolveParked(runIds: readonly string[]): Promise<void> {
    return this.#work.resolveParked(runIds)
  }

  unplannedRuns(after: string | null, limit: number): Promise<QueuePage> {
    return this.#call('list-unplanned', () => {
      const rows = this.#db.queue.values().filter(({ runId }) => runId > (after ?? ''))
      const page = rows.sort((a, b) => (a.runId < b.runId ? -1 : 1)).slice(0, limit)
      const runs = page.flatMap(({ runId, jobId }) =>
        jobId !== null && isUnplanned(this.#db, jobId, runId) ? [{ jobId, runId }] : [],
      )
      return { next: page.length < limit ? null : (page.at(-1)?.runId ?? null), runs }
    })
  }
}

const isSomewhere = (db: MemoryDatabase, runId: string) => WAITING.some((at) => db[at].has(runId))

function isUnplanned(db: MemoryDatabase, jobId: string, runId: string): boolean {
  const slotMs = db.runs.get(runId)?.slotMs ?? null
  const planned = slotMs !== null && db.slots.get(slotKey(slotMs, jobId))?.runId === runId
  return !planned && !db.triggers.has(`${jobId} ${runId}`)
}

/** Rearms a job that waits for a run that no longer exists. */
function rearm(db: MemoryDatabase, job: AuditedJob): boolean {
  const cursor = db.cursors.get(job.id)
  if (!cursor || cursor.version !== job.version || cursor.nextMs !== null) return false
  if (cursor.paused || cursor.runsLeft === 0 || cursor.cursorMs !== job.cursorMs) return false
  if (cursor.endMs !== null && cursor.endMs <= db.nowMs) return false
  const last = db.slots.get(slotKey(job.cursorMs, job.id))
  if (last?.runId && isSomewhere(db, last.runId)) return false
  db.cursors.set(job.id, { ...cursor, anchorMs: db.nowMs, nextMs: db.nowMs })
  return true
}

/** The rules of a job over time; a deleted job has only earlier ones. */
function allErasOf(db: MemoryDatabase, jobId: string) {
  const rulesOf = (timing: number) => decodeRules(db.timings.get(String(timing)) ?? '')
  const versions = versionsOf(db, jobId).map((row) => ({ ...row, rules: rulesOf(row.timing) }))
  const cursor = db.cursors.get(jobId)
  const createdMs = db.jobs.get(jobId)?.createdMs ?? null
  return erasOf(createdMs, versions, cursor ? { ...cursor, rules: rulesOf(cursor.timing) } : null)
}

/** Returns the jobs with the fields of their cursors that the audit of slots needs. */
export function auditedJobs(db: MemoryDatabase): AuditedJob[] {
  return db.cursors.values().flatMap((cursor) => {
    const job = db.jobs.get(cursor.jobId)
    const text = db.timings.get(String(cursor.timing))
    if (!job || text === undefined) return []
    const { version, anchorMs, endMs, runsLeft, cursorMs, nextMs, paused } = cursor
    return [
      {
        ...{ id: job.id, rules: decodeRules(text), version, createdMs: job.createdMs, anchorMs },
        ...{ endMs, runsLeft, cursorMs, nextMs, paused, setAside: job.planningError !== null },
      },
    ]
  })
}

/** Checks that the ledger has exactly one decision for each slot of a range. */
export function checkSlots(db: MemoryDatabase, sample: SlotSample, timings: TimingCache) {
  const { job } = sample
  const { slotsMs } = expectedSlots(job.id, allErasOf(db, job.id), timings, sample)
  const rows = db.slots
    .values()
    .filter(({ jobId }) => jobId === job.id)
    .map(({ slotMs, fromMs }) => ({ slotMs, fromMs: fromMs ?? slotMs }))
    .sort((a, b) => a.slotMs - b.slotMs)
  return matchSlots(slotsMs, rows, decidedUntil(job))
}
