/**
 * Enforces the quotas of tenants wherever work is accepted for them: by the library, the command
 * line and HTTP alike. A tenant's quotas are cached for at most two seconds and refreshed ahead of
 * time, so that a submission of a tenant without quotas costs one lookup in memory.
 */
import { limits, PunctualError } from '@punctual/core/errors'
import { type Quotas, quotaExceeded, tenantSuspended } from '@punctual/core/identity'
import { type CompiledJob, gapBelow } from '@punctual/core/job'
import type { TimingCache } from '@punctual/core/schedule'
import type { Submission } from '@punctual/core/submit'
import { kindOfHandler } from '@punctual/core/target'
import type pg from 'pg'
import type { Database } from '../connection/database.ts'
import { retrying } from '../connection/retrying.ts'
import type { Signals } from '../connection/signals.ts'
import { countJobs, lockTenant, readTenant } from './statements.gen.ts'
import { SubmissionMeter } from './submission-meter.ts'
import { TtlCache } from './ttl-cache.ts'

interface KnownTenant {
  /** Null when there is no such tenant. */
  readonly name: string | null
  readonly suspended: boolean
  readonly quotas: Quotas
  /** Neither suspended nor under any quota: nothing to check. */
  readonly free: boolean
}

const UNKNOWN: KnownTenant = { name: null, suspended: false, quotas: {}, free: false }
const DEADLINE_MS = 30_000
const HOLDS_MS = 2_000
const REFRESH_MS = 1_000
const TENANTS_MAX = 10_000

export class QuotaKeeper {
  readonly #database: Database
  readonly #meter: SubmissionMeter
  readonly #tenants: TtlCache<number, KnownTenant>

  constructor(database: Database, signals: Signals) {
    this.#database = database
    this.#meter = new SubmissionMeter(database)
    this.#tenants = new TtlCache({
      ...{ clock: database.localClock, holdsMs: HOLDS_MS, refreshMs: REFRESH_MS },
      most: TENANTS_MAX,
      // A rollback of the caller's transaction must not undo what is cached here.
      ask: (tenantId) => database.ambient.outside(() => this.#read(tenantId)),
    })
    signals.onHint(({ identity }) => identity && this.#tenants.forget())
    database.onNewTimeline.push(() => this.#tenants.forget())
  }

  async #read(tenantId: number): Promise<KnownTenant> {
    // The first caller waits for the database as long as for the submission that follows.
    const [row] = await retrying(
      { clock: this.#database.localClock, deadlineMs: DEADLINE_MS },
      () => this.#database.control.run(readTenant(tenantId)),
    )
    if (!row) return UNKNOWN
    const free = !row.suspended && Object.keys(row.quotas).length === 0
    return { ...row, free }
  }

  /**
   * Checks whether these may be submitted; returns undefined at once if nothing has to be read.
   * @throws `tenant_suspended`, `quota_exceeded`, `rate_exceeded`, `tenant_not_found`
   */
  admit(tenantId: number, submissions: readonly Submission[]): Promise<void> | undefined {
    const known = this.#tenants.get(tenantId)
    if (known instanceof Promise)
      return known.then((tenant) =>
        tenant.free ? undefined : this.#admit(tenant, tenantId, submissions),
      )
    return known.free ? undefined : this.#admit(known, tenantId, submissions)
  }

  async #admit(
    tenant: KnownTenant,
    tenantId: number,
    submissions: readonly Submission[],
  ): Promise<void> {
    if (tenant.name === null)
      throw new PunctualError('tenant_not_found', `There is no tenant ${tenantId}.`, {
        id: String(tenantId),
      })
    if (tenant.suspended) throw tenantSuspended(tenant.name)
    const { quotas } = tenant
    submissions.forEach(({ options: { timeoutMs, handler }, payload }, i) => {
      const at = submissions.length === 1 ? '' : `[${i}].`
      checkOne(quotas, { timeoutMs, handler, payload }, at)
    })
    const { submissionsPerSecond } = quotas
    if (submissionsPerSecond !== undefined)
      await this.#meter.take(tenantId, submissions.length, submissionsPerSecond)
  }

  /** A manual run counts as a submission; the job's own payload was checked when declared. */
  async admitTrigger(tenantId: number, payload: string | null): Promise<void> {
    const { submissionsPerSecond, payloadBytes } = await this.checkActive(tenantId)
    if (payload !== null && payloadBytes !== undefined) checkBytes(payloadBytes, payload, 'payload')
    if (submissionsPerSecond !== undefined)
      await this.#meter.take(tenantId, 1, submissionsPerSecond)
  }

  /** Checks a payload that an existing run or group gets. @throws `quota_exceeded` */
  async checkPayload(tenantId: number, payload: string, field = 'payload'): Promise<void> {
    const { payloadBytes } = (await this.#tenants.get(tenantId)).quotas
    if (payloadBytes !== undefined) checkBytes(payloadBytes, payload, field)
  }

  /** Checks that the tenant accepts work; returns its quotas. @throws `tenant_suspended` */
  async checkActive(tenantId: number): Promise<Quotas> {
    const { suspended, name, quotas } = await this.#tenants.get(tenantId)
    if (suspended) throw tenantSuspended(name)
    return quotas
  }

  /** Checks that a new or changed job is within the quotas. @throws `quota_exceeded` */
  checkJob(quotas: Quotas, job: CompiledJob, timings: TimingCache): void {
    const { timeoutMs, handler } = job.run
    checkOne(quotas, { timeoutMs, handler, payload: job.payload }, '')
    const { minIntervalMs } = quotas
    if (minIntervalMs === undefined) return
    const nowMs = Math.floor(this.#database.clock.nowMs())
    const anchored = { id: job.name, anchorMs: job.startMs ?? nowMs }
    const gapMs = gapBelow(minIntervalMs, job.rules, anchored, { timings, nowMs })
    if (gapMs === null) return
    const field = job.rules.when.kind === 'cron' ? 'cron' : 'every'
    throw quotaExceeded('minIntervalMs', minIntervalMs, { used: gapMs, field })
  }

  /**
   * If the tenant has a quota of jobs, locks the tenant until the end of the transaction: other
   * transactions that create jobs wait. Returns a check of the number, to call after creating jobs.
   */
  async holdJobs(
    quotas: Quotas,
    tenantId: number,
    client: pg.Client,
  ): Promise<() => Promise<void>> {
    if (quotas.jobs === undefined) return async () => undefined
    const run = { named: this.#database.prepared }
    const [held] = await this.#database.runOn(client, lockTenant(tenantId), run)
    const jobs = held?.quotas.jobs
    return async () => {
      if (jobs === undefined) return
      const counting = countJobs(tenantId, jobs + limits.batchSize)
      const [counted] = await this.#database.runOn(client, counting, run)
      const used = counted?.jobs ?? 0
      if (used > jobs) throw quotaExceeded('jobs', jobs, { used })
    }
  }

  /** How many sessions of remote workers the tenant may have. */
  async sessions(tenantId: number): Promise<number> {
    const { quotas } = await this.#tenants.get(tenantId)
    return quotas.sessions ?? limits.sessionsPerTenant
  }

  /** The name of a tenant; null when it does not exist. */
  async tenantName(tenantId: number): Promise<string | null> {
    return (await this.#tenants.get(tenantId)).name
  }

  /** How many bytes a run of the tenant may log. */
  async logBytes(tenantId: number): Promise<number> {
    const { quotas } = await this.#tenants.get(tenantId)
    return quotas.logBytesPerRun ?? limits.logBytesPerRun
  }
}

/** Checks the quotas that hold for runs and jobs alike. */
function checkOne(
  quotas: Quotas,
  run: { timeoutMs: number; handler: string; payload: string },
  at: string,
): void {
  const { payloadBytes, timeoutMs, executors } = quotas
  if (executors !== undefined) checkExecutor(executors, run.handler, at)
  if (payloadBytes !== undefined) checkBytes(payloadBytes, run.payload, `${at}payload`)
  if (timeoutMs !== undefined && run.timeoutMs > timeoutMs)
    throw quotaExceeded('timeoutMs', timeoutMs, { used: run.timeoutMs, field: `${at}timeoutMs` })
}

/** The handler `@http` belongs to targets of the kind `http`; any other is one that users wrote. */
function checkExecutor(executors: readonly string[], handler: string, at: string): void {
  const kind = kindOfHandler(handler)
  if (executors.includes(kind)) return
  const permitted = executors.length === 0 ? 'none' : executors.join(', ')
  throw new PunctualError(
    'quota_exceeded',
    `The quota executors of the tenant permits targets of the kinds ${permitted}; this request has the kind ${kind}. The operator of this installation can change it.`,
    { field: `${at}${kind === 'handler' ? 'handler' : 'target'}` },
  )
}

function checkBytes(payloadBytes: number, payload: string, field: string): void {
  const used = Buffer.byteLength(payload)
  if (used > payloadBytes) throw quotaExceeded('payloadBytes', payloadBytes, { used, field })
}
