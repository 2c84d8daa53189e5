/** Everything that is done for one tenant. Programs mostly have one, which is that of `Punctual` itself. */
import { encodeJson } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import {
  compileOptions as compileSubmission,
  makeSubmission,
  type Submission,
  type SubmitOptions,
} from '@punctual/core/submit'
import type { PostgresStore } from '@punctual/store'
import type { Activity } from './activity/activity.ts'
import { Audit } from './audit/audit.ts'
import type { ControlWrites } from './audit/control-writes.ts'
import { recordTenant } from './audit/record-writes.ts'
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
import { Runs } from './runs/runs.ts'
import type { Waiter } from './runs/waiter.ts'
import { Secrets } from './secrets/secrets.ts'
import type { SubmitCallOptions, SubmitManyOptions, Submitted } from './submit/handler-handle.ts'
import { at, atLater, type CheckedCall, checkCall } from './submit/submit-call.ts'

/** What the parts of a tenant share with those of all others in this process. */
export interface SharedParts {
  readonly store: PostgresStore
  readonly options: CompiledOptions
  readonly handlers: Handlers
  readonly waiter: Waiter
  readonly activity: Activity
  /** Where changes are recorded. */
  readonly writes: ControlWrites
  /** Throws when nothing is accepted any more. */
  checkOpen(): void
}

/** Everything that is done for one tenant: `punctual.tenant(id)`. */
export class TenantScope {
  /** Whose jobs and runs these are. */
  readonly tenantId: number
  /** Reading runs, waiting for them, and steering them. */
  readonly runs: Runs
  /** What runs again and again, or once under a name. */
  readonly jobs: Jobs
  /** What waits and runs in each queue, and pausing them. */
  readonly queues: Queues
  /** How many runs of a queue or of a tenant may go on at once or start in a time, and whose turn it is. */
  readonly limits: Limits
  /** How runs ended: in the last minutes, by day and by job. */
  readonly stats: Stats
  /** Runs that died, looked at, replayed and discarded. */
  readonly deadLetters: DeadLetters
  /** Runs that were submitted together: progress, and one run that follows when all have ended. */
  readonly groups: Groups
  /** Who changed what of this tenant. */
  readonly audit: Audit
  /** Values that handlers of this tenant need and nobody else may see. */
  readonly secrets: Secrets
  /** The remote workers that work for this tenant alone, and draining them. */
  readonly workers: Workers
  readonly #options: SharedParts

  /** @internal */
  constructor(parts: SharedParts, tenantId: number) {
    const { store, options, waiter, handlers, activity } = parts
    const { payloadBytes } = options
    this.#options = parts
    this.tenantId = tenantId
    this.runs = new Runs(store, waiter, payloadBytes, tenantId)
    this.jobs = new Jobs(store, options, tenantId)
    this.queues = new Queues(store, tenantId)
    this.limits = new Limits(store, tenantId)
    this.stats = new Stats(store, tenantId)
    this.deadLetters = new DeadLetters(store, options, tenantId)
    this.groups = new Groups({
      ...{ tenantId, store, handlers, payloadBytes, checkOpen: () => parts.checkOpen() },
      submitted: (submissions, accepted) =>
        this.#tell(() => activity.submitted(submissions, accepted)),
    })
    this.audit = new Audit(store, tenantId)
    this.secrets = new Secrets(parts, tenantId)
    this.workers = new Workers(store, tenantId)
    recordTenant(this, parts.writes, store)
  }

  #tell(tell: () => void): void {
    void this.#options.store.database.transactions.afterCommit(tell)
  }

  #encode(payload: unknown): string {
    return encodeJson(payload, 'payload', this.#options.options.payloadBytes)
  }

  /** Submits a run; as `Punctual.submit`. */
  async submit(
    handler: string,
    payload?: unknown,
    options: SubmitCallOptions = {},
  ): Promise<Submitted> {
    const { tx, ...rest } = checkCall(options)
    const submission = makeSubmission(compileSubmission(handler, rest), this.#encode(payload))
    await this.#options.handlers.checkPayload(handler, payload)
    return (await this.#submit([submission], tx))[0] as Submitted
  }

  /** Submits up to 10,000 runs, all or none; as `Punctual.submitMany`. */
  async submitMany<Payload>(
    handler: string,
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
    await this.#options.handlers.checkPayloads(handler, payloads)
    if (typeof options === 'function') {
      const submissions = Array.from(payloads, (payload, i) =>
        at(i, () =>
          makeSubmission(compileSubmission(handler, options(payload, i)), this.#encode(payload)),
        ),
      )
      return this.#submit(submissions)
    }
    const { tx, ...rest } = checkCall(options)
    const compiled = compileSubmission(handler, rest as SubmitOptions)
    return this.#submit(
      Array.from(payloads, (payload, i) =>
        at(i, () => makeSubmission(compiled, this.#encode(payload))),
      ),
      tx,
    )
  }

  /** Submits runs that may be of several handlers: all, or none. The place of a wrong one is told by `field`. */
  async submitAll(
    runs: readonly { handler: string; payload?: unknown; options?: SubmitOptions }[],
  ): Promise<readonly Submitted[]> {
    if (runs.length === 0) return []
    const { handlers } = this.#options
    // Many mostly have one set of options, which is then compiled once.
    let last: { of: (typeof runs)[number]; compiled: Submission['options'] } | null = null
    const submissions = runs.map((of, i) =>
      at(i, () => {
        if (last?.of.handler !== of.handler || last.of.options !== of.options)
          last = { of, compiled: compileSubmission(of.handler, of.options) }
        return makeSubmission(last.compiled, this.#encode(of.payload))
      }),
    )
    for (const [i, { handler, payload }] of runs.entries())
      if (handlers.hasSchema(handler)) await atLater(i, handlers.checkPayload(handler, payload))
    return this.#submit(submissions)
  }

  async #submit(
    submissions: readonly Submission[],
    tx?: CheckedCall['tx'],
  ): Promise<readonly Submitted[]> {
    const { store, handlers, activity } = this.#options
    this.#options.checkOpen()
    const { tenantId } = this
    await checkStrict(submissions, handlers, store, tenantId)
    const accepted = await store.submit(submissions, tx ? { tx, tenantId } : { tenantId })
    if (!tx) this.#tell(() => activity.submitted(submissions, accepted))
    return accepted
  }
}
