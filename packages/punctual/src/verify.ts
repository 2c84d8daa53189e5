/**
 * Proves the schedule over a range: every slot that the rules define has exactly one decision,
 * every decision belongs to a slot, and every run that was decided exists. It first walks the jobs,
 * from the rules to the ledger; then the whole ledger, back to the rules. Memory does not grow with
 * the range or the number of jobs.
 */

import type { Instant } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import { type AuditFinding, type AuditKind, auditCursor, type SlotReason } from '@punctual/core/job'
import type { AuditPage, SlotSample } from '@punctual/core/ports'
import type { TimingCache } from '@punctual/core/schedule'
import type { LedgerProof, PostgresStore, ScannedSlot } from '@punctual/store'
import { checkJob } from './jobs/arguments.ts'
import { LatenessDigest } from './metrics/lateness-digest.ts'
import { TENANT } from './tenants/tenant.ts'

/** The range and the jobs to verify. */
export interface VerifyOptions {
  /**
   * Start of the range, inclusive; never before the oldest retained day. @default one day before
   * `to`
   */
  from?: Instant
  /** End of the range; never later than now. @default now */
  to?: Instant
  /** Verifies only this job, by name or id. @default all jobs */
  job?: string
  /** Called after each batch of slots or ledger rows. */
  onProgress?: (progress: VerifyProgress) => void
}

/** How far a verification has come. */
export interface VerifyProgress {
  /** Jobs checked so far. */
  readonly jobs: number
  /** Slots compared with the ledger so far. */
  readonly slots: number
  /** Ledger rows compared with the rules so far. */
  readonly rows: number
}

/** An inconsistency, with the name of its job, or the id of a job that no longer exists. */
export type VerifyFinding = AuditFinding & { readonly job: string }

/** The result of `verify`. */
export interface Verification {
  /**
   * Start of the verified range, which may be later than requested: older days are not retained.
   */
  readonly from: Date
  /** End of the verified range. */
  readonly to: Date
  /** Jobs checked. */
  readonly jobs: number
  /** Slots that must have a decision. */
  readonly slots: number
  /** Slots that are due and not decided yet: planning is behind, or the job is paused. */
  readonly pending: number
  /** Runs that slots of the range produced. */
  readonly runs: number
  /** Skipped slots, by reason. */
  readonly skips: Readonly<Partial<Record<SlotReason, number>>>
  /** Past slots without a decision. */
  readonly holes: number
  /** Slots with two decisions. */
  readonly doubles: number
  /** Decisions for instants that are not slots of the job. */
  readonly strays: number
  /** Runs that the ledger names and no table holds. */
  readonly lost: number
  /** Cursors that are missing or point to a wrong slot. */
  readonly cursors: number
  /**
   * Jobs that could not be planned and are set aside until they are changed: `planningError` says
   * why.
   */
  readonly setAside: number
  /** How late runs started, measured from their due time; null when none has started. */
  readonly lateness: {
    readonly p50Ms: number
    readonly p99Ms: number
    readonly maxMs: number
  } | null
  /** The first 100 findings of each kind. */
  readonly findings: readonly VerifyFinding[]
  /** True when nothing was found. */
  readonly clean: boolean
}

const DAY_MS = 86_400_000
const PAGE = 2_000
/**
 * A first pass checks a few slots of many jobs; later passes check many slots of the few jobs that
 * have more.
 */
const SLOTS_FIRST = 100
const SLOTS_MORE = 10_000
const JOBS_MORE = 10
const FINDINGS_MAX = 100

export async function verify(
  store: PostgresStore,
  retentionDays: number,
  options: VerifyOptions,
): Promise<Verification> {
  const nowMs = Math.floor(store.database.clock.nowMs())
  const toMs = Math.min(nowMs, options.to === undefined ? nowMs : instant('to', options.to))
  const askedMs = options.from === undefined ? toMs - DAY_MS : instant('from', options.from)
  // Days before the retention are dropped.
  const keptMs = (Math.floor(nowMs / DAY_MS) - retentionDays) * DAY_MS
  const fromMs = Math.max(askedMs, keptMs)
  if (fromMs > toMs)
    throw new PunctualError(
      'invalid_option',
      `from must be before to, in the past, and within the last ${retentionDays} days, which are retained.`,
      { field: 'from' },
    )
  const jobId = options.job === undefined ? null : await jobIdOf(store, options.job)
  const proof = new Proof(store.schedules.proof, { fromMs, toMs, jobId }, options.onProgress)
  await proof.jobs(store)
  await proof.ledger()
  return proof.result((id) => nameOf(store, id))
}

class Proof {
  readonly #proof: LedgerProof
  readonly #range: { fromMs: number; toMs: number; jobId: string | null }
  readonly #progress: VerifyOptions['onProgress']
  readonly #late = new LatenessDigest()
  readonly #findings: AuditFinding[] = []
  readonly #counts: Partial<Record<AuditKind, number>> = {}
  readonly #skips: Partial<Record<SlotReason, number>> = {}
  readonly #done = { jobs: 0, slots: 0, rows: 0 }
  #pending = 0
  #runs = 0

  constructor(
    proof: LedgerProof,
    range: { fromMs: number; toMs: number; jobId: string | null },
    progress: VerifyOptions['onProgress'],
  ) {
    this.#proof = proof
    this.#range = range
    this.#progress = progress
  }

  #found(kind: AuditKind, jobId: string, atMs: number | null, runId: string | null = null): void {
    const count = (this.#counts[kind] ?? 0) + 1
    this.#counts[kind] = count
    if (count > FINDINGS_MAX) return
    const at = atMs === null ? null : new Date(atMs)
    this.#findings.push({ kind, jobId, at, runId, repaired: false })
  }

  /** From the rules to the ledger. */
  async jobs({ schedules: { timings } }: PostgresStore): Promise<void> {
    const { fromMs, toMs, jobId } = this.#range
    const read = (after: string | null): Promise<AuditPage> => {
      const page = this.#proof.page(after, PAGE, jobId)
      // The page is read ahead, so it can fail before it is awaited.
      page.catch(() => undefined)
      return page
    }
    for (let next: Promise<AuditPage> | null = read(null); next; ) {
      const page: AuditPage = await next
      next = page.next === null ? null : read(page.next)
      this.#cursors(page, timings)
      this.#done.jobs += page.jobs.length
      const stretch = { fromMs, untilMs: toMs, limit: SLOTS_FIRST }
      let open = await this.#check(page.jobs.map((job) => ({ job, ...stretch })))
      while (open.length > 0) {
        const more = await this.#check(open.slice(0, JOBS_MORE))
        open = [...more, ...open.slice(JOBS_MORE)]
      }
    }
  }

  #cursors(page: AuditPage, timings: TimingCache): void {
    for (const id of page.cursorMissing) this.#found('cursor-missing', id, null)
    for (const id of page.jobMissing) this.#found('job-missing', id, null)
    for (const id of page.rulesMissing) this.#found('rules-missing', id, null)
    for (const job of page.jobs) {
      const fault = auditCursor(job, timings, { ...page, planning: false })
      // The job's own rows do not show whether it waits for a live run: the auditor checks that.
      if (fault && fault.kind !== 'rearm-lost') this.#found(fault.kind, job.id, job.nextMs)
      if (job.setAside && !job.paused) this.#found('set-aside', job.id, null)
    }
  }

  /** Returns the parts of the samples that are still unchecked. */
  async #check(samples: readonly SlotSample[]): Promise<SlotSample[]> {
    const checks = await this.#proof.check(samples, false)
    for (const { job, expected, pending, holes, doubles } of checks) {
      this.#done.slots += expected
      this.#pending += pending
      for (const slotMs of holes) this.#found('hole', job.id, slotMs)
      for (const slotMs of doubles) this.#found('double', job.id, slotMs)
    }
    this.#progress?.({ ...this.#done })
    return checks.flatMap(({ rest }) => (rest ? [{ ...rest, limit: SLOTS_MORE }] : []))
  }

  /** From the ledger to the rules, and on to the runs. */
  async ledger(): Promise<void> {
    const { fromMs, toMs, jobId } = this.#range
    for await (const { slots, strays } of this.#proof.scan({ fromMs, untilMs: toMs, jobId })) {
      this.#done.rows += slots.length
      for (const { jobId: id, slotMs } of strays) this.#found('stray', id, slotMs)
      for (const { jobId: id, slotMs, runId, decision, reason, slots: count } of slots) {
        if (decision === 'skip') this.#skips[reason] = (this.#skips[reason] ?? 0) + count
        else if (runId === null) this.#found('run-lost', id, slotMs)
      }
      await this.#followRuns(slots.filter(({ runId }) => runId !== null))
      this.#progress?.({ ...this.#done })
    }
  }

  async #followRuns(slots: readonly ScannedSlot[]): Promise<void> {
    const places = await this.#proof.placesOf(slots.map(({ runId }) => runId as string))
    this.#runs += slots.length
    for (const [i, { jobId, slotMs, runId }] of slots.entries()) {
      const { placed, latenessMs } = places[i] ?? { placed: false, latenessMs: null }
      if (!placed) this.#found('run-lost', jobId, slotMs, runId)
      if (latenessMs !== null) this.#late.add(latenessMs)
    }
  }

  async result(nameOf: (id: string) => Promise<string>): Promise<Verification> {
    const names = new Map<string, string>()
    for (const { jobId } of this.#findings)
      if (!names.has(jobId)) names.set(jobId, await nameOf(jobId))
    const count = (...kinds: AuditKind[]) =>
      kinds.reduce((sum, kind) => sum + (this.#counts[kind] ?? 0), 0)
    const { fromMs, toMs } = this.#range
    return {
      ...{ from: new Date(fromMs), to: new Date(toMs), jobs: this.#done.jobs },
      ...{ slots: this.#done.slots, pending: this.#pending, runs: this.#runs, skips: this.#skips },
      ...{ holes: count('hole'), doubles: count('double'), strays: count('stray') },
      lost: count('run-lost'),
      cursors: count(
        'cursor-lost',
        'cursor-stray',
        'cursor-missing',
        'job-missing',
        'rules-missing',
      ),
      setAside: count('set-aside'),
      lateness: this.#late.summary(),
      findings: this.#findings.map((finding) => ({
        ...finding,
        job: names.get(finding.jobId) ?? finding.jobId,
      })),
      clean: Object.keys(this.#counts).length === 0,
    }
  }
}

async function jobIdOf(store: PostgresStore, nameOrId: string): Promise<string> {
  const job = await store.schedules.jobs.find(checkJob(nameOrId), TENANT)
  if (job) return job.id
  const message = `No job has the name or id ${JSON.stringify(nameOrId)}. \`punctual jobs list\` lists the jobs.`
  throw new PunctualError('job_not_found', message, { id: nameOrId })
}

async function nameOf(store: PostgresStore, id: string): Promise<string> {
  return (await store.schedules.jobs.find(id, TENANT))?.name ?? id
}

function instant(field: string, value: Date | string | number): number {
  const ms = value instanceof Date ? value.getTime() : new Date(value).getTime()
  if (Number.isFinite(ms)) return Math.floor(ms)
  throw new PunctualError(
    'invalid_option',
    `${field} must be a Date, an ISO 8601 string or milliseconds since 1970; got ${JSON.stringify(String(value).slice(0, 80))}.`,
    { field },
  )
}
