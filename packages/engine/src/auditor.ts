/**
 * Proves again and again that every job has a future and every slot that has passed a decision. It walks the jobs
 * by id, a page at a time; of each page it looks at every cursor, and at the last hour of some jobs, others in
 * each round. What is safe to put right it puts right: each repair is made only while what was seen is so, so
 * that any number of auditors may run beside planners and people. The rest it tells.
 */
import type { Clock } from '@punctual/core/clock'
import { type AuditedJob, type AuditFinding, type AuditKind, auditCursor } from '@punctual/core/job'
import type { AuditPage, AuditStore, SlotCheck } from '@punctual/core/ports'
import { TimingCache } from '@punctual/core/schedule'
import type { Role } from './role.ts'

export interface AuditorOptions {
  readonly store: AuditStore
  readonly clock: Clock
  /** Jobs looked at in one go. @default 1000 */
  readonly pageSize?: number
  /** A page was looked at. */
  onAudited?(result: AuditResult): void
}

export interface AuditResult {
  readonly jobs: number
  readonly findings: readonly AuditFinding[]
  /** Whether every job has been looked at since the last time this was so. */
  readonly roundEnded: boolean
}

const PAGE = 1_000
const REST_MS = 1_000
const REST_AFTER_ROUND_MS = 60_000
/** Jobs of a page whose slots are looked at, and how many of each. */
const SAMPLED_JOBS = 100
const SAMPLED_SLOTS = 20
const SAMPLED_MS = 3_600_000
/** Where in it another part begins in each turn: no part of an hour, so that it comes past all of it. */
const TURN_MS = 1_021_000
/** Rows of the ledger that are looked at from the other side. */
const SAMPLED_ROWS = 500
/** Planners that have just come are given time to catch up. */
const PATIENCE_MS = 60_000
const PARKED_MS = 60_000
const TELL_AGAIN_MS = 3_600_000
const TOLD_MAX = 10_000

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
  readonly #toldAtMs = new Map<string, number>()

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
      findings: findings.filter((it) => this.#isNews(it)),
      roundEnded,
    })
    return roundEnded ? REST_AFTER_ROUND_MS : REST_MS
  }

  /** What cannot be put right is found in every round, and told once an hour. */
  #isNews({ kind, jobId, at, runId, repaired }: AuditFinding): boolean {
    if (repaired) return true
    const key = `${kind} ${jobId} ${runId ?? at?.getTime()}`
    const nowMs = this.#options.clock.monotonicMs()
    const toldMs = this.#toldAtMs.get(key)
    if (toldMs !== undefined && nowMs - toldMs < TELL_AGAIN_MS) return false
    if (this.#toldAtMs.size >= TOLD_MAX) this.#toldAtMs.clear()
    this.#toldAtMs.set(key, nowMs)
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
      // Somebody was faster, or has changed the job meanwhile: there is nothing to tell.
      if (nextMs !== null && !repaired) continue
      findings.push(finding(fault.kind, job.id, { atMs: nextMs ?? job.nextMs, repaired }))
    }
    for (const id of await store.rearm(waiting))
      findings.push(finding('rearm-lost', id, { repaired: true }))
    return findings
  }

  /** Whether planners have been alive for long enough to have caught up. */
  #isPlanning({ planning }: AuditPage): boolean {
    const nowMs = this.#options.clock.monotonicMs()
    this.#planningSinceMs = planning ? (this.#planningSinceMs ?? nowMs) : null
    return this.#planningSinceMs !== null && nowMs - this.#planningSinceMs >= PATIENCE_MS
  }

  /** The last hour of some jobs; of those with many slots another part of it in each round. */
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

  /** What holds, waits and is queued for jobs, apart from which jobs there are. */
  async #auditPlaces(): Promise<AuditFinding[]> {
    const { store, pageSize = PAGE } = this.#options
    const freed = await store.freeHolds(this.#holdsAfter, pageSize)
    this.#holdsAfter = freed.next
    const unplanned = await store.unplannedRuns(this.#queueAfter, pageSize)
    this.#queueAfter = unplanned.next
    const waiting = await store.freeParked(PARKED_MS)
    // Whoever frees a job moves its next run on a moment later: only what was there at the last look is told.
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
  of: { atMs?: number | null; runId?: string; repaired?: boolean } = {},
): AuditFinding {
  const at = of.atMs === undefined || of.atMs === null ? null : new Date(of.atMs)
  return { kind, jobId, at, runId: of.runId ?? null, repaired: of.repaired ?? false }
}
