/**
 * Proves continuously that every job has a future slot and every past slot a decision. It walks the
 * jobs by id, page by page: of each page it checks every cursor, and the last hour of a sample of
 * jobs that changes with each round. It repairs what is safe to repair. A repair applies only while
 * the rows are as they were read, so any number of auditors can run alongside planners and users.
 * It reports the rest.
 */
import type { Clock } from '@punctual/core/clock'
import { type AuditedJob, type AuditFinding, type AuditKind, auditCursor } from '@punctual/core/job'
import type { AuditorStore, AuditPage, SlotCheck } from '@punctual/core/ports'
import { TimingCache } from '@punctual/core/schedule'
import type { Role } from './role.ts'

export interface AuditorOptions {
  readonly store: AuditorStore
  readonly clock: Clock
  /** Jobs per page. @default 1000 */
  readonly pageSize?: number
  /** Called after each page. */
  onAudited?(result: AuditResult): void
}

export interface AuditResult {
  readonly jobs: number
  readonly findings: readonly AuditFinding[]
  /** True when the page was the last one of a round over all jobs. */
  readonly roundEnded: boolean
}

const PAGE = 1_000
const REST_MS = 1_000
const REST_AFTER_ROUND_MS = 60_000
/** How many jobs of a page have their slots checked, and how many slots of each. */
const SAMPLED_JOBS = 100
const SAMPLED_SLOTS = 20
const SAMPLED_MS = 3_600_000
/**
 * Each turn starts this much later within the hour. It does not divide an hour, so the turns cover
 * all of it.
 */
const TURN_MS = 1_021_000
/** How many rows of the ledger are compared with the rules in each turn. */
const SAMPLED_ROWS = 500
/** Planners that have just started get this time to catch up. */
const PATIENCE_MS = 60_000
const PARKED_MS = 60_000
const REPORT_AGAIN_MS = 3_600_000
const REPORTED_MAX = 10_000

export class Auditor implements Role {
  readonly name = 'auditor'
  readonly #options: AuditorOptions
  readonly #timings = new TimingCache()
  #after: string | null = null
  #holdsAfter: string | null = null
  #queueAfter: string | null = null
  #round = 0
  #turn = 0
  #planningSinceMs: number | null = null
  #parked: ReadonlySet<string> = new Set()
  readonly #reportedAtMs = new Map<string, number>()

  constructor(options: AuditorOptions) {
    this.#options = options
  }

  async tick(): Promise<number> {
    const { store, pageSize = PAGE } = this.#options
    const page = await store.auditPage(this.#after, pageSize)
    const jobs = page.jobs.length + page.cursorMissing.length + page.rulesMissing.length
    const findings: AuditFinding[] = []
    if (this.#after !== null || jobs + page.jobMissing.length > 0) {
      findings.push(...(await this.#auditJobs(page)))
      findings.push(...(await this.#auditSlots(page)))
      findings.push(...(await this.#auditPlaces()))
    }
    this.#after = page.next
    const roundEnded = page.next === null
    if (roundEnded) this.#round++
    this.#options.onAudited?.({
      jobs,
      findings: findings.filter((found) => this.#isNews(found)),
      roundEnded,
    })
    return roundEnded ? REST_AFTER_ROUND_MS : REST_MS
  }

  /** A finding that cannot be repaired recurs in every round; it is reported once an hour. */
  #isNews({ kind, jobId, at, runId, repaired }: AuditFinding): boolean {
    if (repaired) return true
    const key = `${kind} ${jobId} ${runId ?? at?.getTime()}`
    const nowMs = this.#options.clock.monotonicMs()
    const reportedMs = this.#reportedAtMs.get(key)
    if (reportedMs !== undefined && nowMs - reportedMs < REPORT_AGAIN_MS) return false
    if (this.#reportedAtMs.size >= REPORTED_MAX) this.#reportedAtMs.clear()
    this.#reportedAtMs.set(key, nowMs)
    return true
  }

  async #auditJobs(page: AuditPage): Promise<AuditFinding[]> {
    const { store } = this.#options
    const { nowMs, zonesCurrent } = page
    const seen = { nowMs, zonesCurrent, planning: this.#isPlanning(page) }
    const findings = [
      ...page.cursorMissing.map((id) => finding('cursor-missing', id)),
      ...page.rulesMissing.map((id) => finding('rules-missing', id)),
    ]
    for (const id of await store.removeCursors(page.jobMissing))
      findings.push(finding('job-missing', id, { repaired: true }))
    const waiting: AuditedJob[] = []
    for (const job of page.jobs) {
      const fault = auditCursor(job, this.#timings, seen)
      if (fault === null) continue
      if (fault.kind === 'rearm-lost') {
        waiting.push(job)
        continue
      }
      const nextMs = 'nextMs' in fault ? fault.nextMs : null
      const repaired = nextMs !== null && (await store.repairCursor(job, nextMs))
      // Another process repaired the cursor, or the job has changed: nothing to report.
      if (nextMs !== null && !repaired) continue
      findings.push(finding(fault.kind, job.id, { atMs: nextMs ?? job.nextMs, repaired }))
    }
    for (const id of await store.rearm(waiting))
      findings.push(finding('rearm-lost', id, { repaired: true }))
    return findings
  }

  /** Whether a planner has been alive long enough to have caught up. */
  #isPlanning({ planning }: AuditPage): boolean {
    const nowMs = this.#options.clock.monotonicMs()
    this.#planningSinceMs = planning ? (this.#planningSinceMs ?? nowMs) : null
    return this.#planningSinceMs !== null && nowMs - this.#planningSinceMs >= PATIENCE_MS
  }

  /**
   * Checks the last hour of the sampled jobs; of jobs with many slots, a different part of it in
   * each turn.
   */
  async #auditSlots({ jobs, nowMs }: AuditPage): Promise<AuditFinding[]> {
    const { store } = this.#options
    const stride = Math.ceil(jobs.length / SAMPLED_JOBS)
    const sampled = jobs.filter((_, i) => i % stride === this.#round % stride)
    if (sampled.length === 0) return []
    const stretch = { fromMs: nowMs - SAMPLED_MS, untilMs: nowMs, limit: SAMPLED_SLOTS }
    const firsts = sampled.map((job) => ({ job, ...stretch }))
    const checks = [...(await store.checkSlots(firsts, true))]
    const turnMs = nowMs - SAMPLED_MS + ((this.#turn++ * TURN_MS) % SAMPLED_MS)
    const others = checks.flatMap(({ job, rest }) =>
      rest ? [{ job, ...stretch, fromMs: Math.max(turnMs, rest.fromMs) }] : [],
    )
    if (others.length > 0) checks.push(...(await store.checkSlots(others, true)))
    const strays = await store.straySlots(turnMs, nowMs, SAMPLED_ROWS)
    return [
      ...checks.flatMap(slotFindings),
      ...strays.map(({ jobId, slotMs }) => finding('stray', jobId, { atMs: slotMs })),
    ]
  }

  /** Checks holds, waiting runs and queued runs, whether or not their jobs exist. */
  async #auditPlaces(): Promise<AuditFinding[]> {
    const { store, pageSize = PAGE } = this.#options
    const freed = await store.freeHolds(this.#holdsAfter, pageSize)
    this.#holdsAfter = freed.next
    const unplanned = await store.unplannedRuns(this.#queueAfter, pageSize)
    this.#queueAfter = unplanned.next
    const waiting = await store.freeParked(PARKED_MS)
    // A job that has just become free moves its next run on shortly: only runs that were also
    // parked last time are stuck.
    const stuck = waiting.filter(({ runId }) => this.#parked.has(runId))
    this.#parked = new Set(waiting.map(({ runId }) => runId))
    if (stuck.length > 0) await store.resolveParked(stuck.map(({ runId }) => runId))
    return [
      ...freed.runs.map(({ jobId, runId }) =>
        finding('hold-stale', jobId, { runId, repaired: true }),
      ),
      ...stuck.map(({ jobId, runId }) => finding('parked-free', jobId, { runId, repaired: true })),
      ...unplanned.runs.map(({ jobId, runId }) => finding('run-unplanned', jobId, { runId })),
    ]
  }
}

function slotFindings({ job, holes, doubles, lost }: SlotCheck): AuditFinding[] {
  return [
    ...holes.map((atMs) => finding('hole', job.id, { atMs })),
    ...doubles.map((atMs) => finding('double', job.id, { atMs })),
    ...lost.map(({ runId, slotMs }) => finding('run-lost', job.id, { atMs: slotMs, runId })),
  ]
}

function finding(
  kind: AuditKind,
  jobId: string,
  details: { atMs?: number | null; runId?: string; repaired?: boolean } = {},
): AuditFinding {
  const at = details.atMs === undefined || details.atMs === null ? null : new Date(details.atMs)
  return { kind, jobId, at, runId: details.runId ?? null, repaired: details.repaired ?? false }
}
