/**
 * All operations of one tenant. Most programs have one tenant, the default one that `Punctual`
 * itself uses.
 */
import { encodeJson } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import {
  makeSubmission,
  type Submission,
  type SubmitOptions,
  type Submitted,
} from '@punctual/core/submit'
import type { Target } from '@punctual/core/target'
import type { PostgresStore } from '@punctual/store'
import type { Activity } from './activity/activity.ts'
import { Audit } from './audit/audit.ts'
import type { ControlWrites } from './audit/control-writes.ts'
import type { CompiledOptions } from './config/options.ts'
import { DeadLetters } from './dead-letters/dead-letters.ts'
import { Groups } from './groups/groups.ts'
import { checkStrict } from './handlers/check-strict.ts'
import type { Handlers } from './handlers/handlers.ts'
import { Jobs } from './jobs/jobs.ts'
import { Limits } from './queues/limits.ts'
import { Queues } from './queues/queues.ts'
import { Stats } from './queues/stats.ts'
import { Workers } from './queues/workers.ts'
import { AwaitingReports } from './runs/awaiting.ts'
import { Runs } from './runs/runs.ts'
import type { Waiter } from './runs/waiter.ts'
import { Secrets } from './secrets/secrets.ts'
import type { SubmitCallOptions, SubmitManyOptions } from './submit/handler-handle.ts'
import type { SubmissionCompiler } from './submit/submission-compiler.ts'
import { at, atLater, type CheckedCall, checkCall } from './submit/submit-call.ts'
import { writeWith } from './submit/write-with.ts'

/** The parts that all tenant scopes of this process share. */
export interface SharedParts {
  readonly store: PostgresStore
  readonly options: CompiledOptions
  readonly handlers: Handlers
  readonly submissions: SubmissionCompiler
  readonly waiter: Waiter
  readonly activity: Activity
  /** Records changes in the audit log. */
  readonly writes: ControlWrites
  /** Throws `stopped` once Punctual stops. */
  checkOpen(): void
}

/** The API of one tenant: `punctual.tenant(id)`. */
export class TenantScope {
  /** The number of the tenant that owns these jobs and runs. */
  readonly tenantId: number
  /** Reads runs, waits for them and changes them. */
  readonly runs: Runs
  /** Reports the outcome of runs that await their targets. */
  readonly awaiting: AwaitingReports
  /** Jobs: what runs on a schedule, or once under a name. */
  readonly jobs: Jobs
  /** Shows what is waiting and running in each queue, and pauses queues. */
  readonly queues: Queues
  /** Concurrency and rate limits of queues and of the tenant, and its weight among tenants. */
  readonly limits: Limits
  /** How runs ended: in the last minutes, by day and by job. */
  readonly stats: Stats
  /** Lists, replays and discards runs that died. */
  readonly deadLetters: DeadLetters
  /** Runs that are submitted together: their progress, and one callback run when all have ended. */
  readonly groups: Groups
  /** The entries of the audit log that concern this tenant. */
  readonly audit: Audit
  /** Encrypted values that only handlers of this tenant can read. */
  readonly secrets: Secrets
  /** The remote workers that serve only this tenant: lists them and drains them. */
  readonly workers: Workers
  readonly #options: SharedParts

  /** @internal */
  constructor(parts: SharedParts, tenantId: number) {
    const { store, options, writes, waiter, handlers, activity } = parts
    const { payloadBytes } = options
    const scope = { store, writes, tenantId }
    this.#options = parts
    this.tenantId = tenantId
    this.runs = new Runs(scope, waiter, payloadBytes)
    this.awaiting = new AwaitingReports(store, tenantId)
    this.jobs = new Jobs(scope, options)
    this.queues = new Queues(scope)
    this.limits = new Limits(scope)
    this.stats = new Stats(store, tenantId)
    this.deadLetters = new DeadLetters(scope, payloadBytes)
    this.groups = new Groups({
      ...scope,
      handlers,
      payloadBytes,
      checkOpen: () => parts.checkOpen(),
      submitted: (submissions, accepted) =>
        this.#report(() => activity.submitted(submissions, accepted)),
    })
    this.audit = new Audit(store, tenantId)
    this.secrets = new Secrets(scope)
    this.workers = new Workers(scope)
  }

  #report(report: () => void): void {
    const { ambient } = this.#options.store.database
    if (!ambient.defers(report)) ambient.outside(report)
  }

  #encode(payload: unknown): string {
    return encodeJson(payload, 'payload', this.#options.options.payloadBytes)
  }

  /** Submits a run, like `Punctual.submit`. */
  async submit(
    handler: string | Target,
    payload?: unknown,
    options: SubmitCallOptions = {},
  ): Promise<Submitted> {
    const { tx, ...rest } = checkCall(options)
    const compiled = this.#options.submissions.compile(handler, rest)
    const submission = makeSubmission(compiled, this.#encode(payload))
    const { handlers } = this.#options
    if (typeof handler === 'string' && handlers.hasSchema(handler))
      await handlers.checkPayload(handler, payload)
    return (await this.#submit([submission], tx))[0] as Submitted
  }

  /** Submits up to 10,000 runs, all or none, like `Punctual.submitMany`. */
  async submitMany<Payload>(
    handler: string | Target,
    payloads: readonly Payload[],
    options: SubmitManyOptions<Payload> = {},
  ): Promise<readonly Submitted[]> {
    if (!Array.isArray(payloads) || payloads.length > limits.batchSize)
      throw new PunctualError(
        'invalid_option',
        `payloads must be an array of at most ${limits.batchSize}; submit more in several calls.`,
        { field: 'payloads' },
      )
    if (payloads.length === 0) return []
    const { submissions: compiler } = this.#options
    if (typeof handler === 'string') await this.#options.handlers.checkPayloads(handler, payloads)
    if (typeof options === 'function') {
      const submissions = Array.from(payloads, (payload, i) =>
        at(i, () =>
          makeSubmission(compiler.compile(handler, options(payload, i)), this.#encode(payload)),
        ),
      )
      return this.#submit(submissions)
    }
    const { tx, ...rest } = checkCall(options)
    const compiled = compiler.compile(handler, rest)
    return this.#submit(
      Array.from(payloads, (payload, i) =>
        at(i, () => makeSubmission(compiled, this.#encode(payload))),
      ),
      tx,
    )
  }

  /**
   * Submits runs of one or several handlers: all, or none. On an error `field` names the refused
   * item.
   */
  async submitAll(
    runs: readonly { handler: string | Target; payload?: unknown; options?: SubmitOptions }[],
  ): Promise<readonly Submitted[]> {
    if (runs.length === 0) return []
    const { handlers, submissions: compiler } = this.#options
    // Most callers pass one options object for all runs; it is compiled once.
    let last: { run: (typeof runs)[number]; compiled: Submission['options'] } | null = null
    const submissions = runs.map((run, i) =>
      at(i, () => {
        if (last?.run.handler !== run.handler || last.run.options !== run.options)
          last = { run, compiled: compiler.compile(run.handler, run.options) }
        return makeSubmission(last.compiled, this.#encode(run.payload))
      }),
    )
    for (const [i, { handler, payload }] of runs.entries())
      if (typeof handler === 'string' && handlers.hasSchema(handler))
        await atLater(i, handlers.checkPayload(handler, payload))
    return this.#submit(submissions)
  }

  async #submit(
    submissions: readonly Submission[],
    tx?: CheckedCall['tx'],
  ): Promise<readonly Submitted[]> {
    const { store, handlers, activity } = this.#options
    this.#options.checkOpen()
    const { tenantId } = this
    if (submissions.some(({ options }) => options.strict))
      await checkStrict(submissions, handlers, store, tenantId)
    const accepted = await store.submit(submissions, { ...writeWith(store, tx), tenantId })
    if (!tx) this.#report(() => activity.submitted(submissions, accepted))
    return accepted
  }
}
