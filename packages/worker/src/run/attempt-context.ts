/**
 * The context that a handler receives. It reads the run, and reports to the attempt that the
 * handler is alive and that its own transaction has committed.
 */
import { checkText, encodeJson, integer } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import type { ClaimedRun } from '@punctual/core/ports'
import { Awaiting, type AwaitOptions, type Callback } from '../handler/awaiting.ts'
import type {
  HandlerContext,
  RunLog,
  TransactionClient,
  TransactionRunner,
} from '../handler/handler.ts'
import type { RunLogs } from '../reports/run-logs.ts'
import { type ReadSecret, SecretReads, storedJson } from '../reports/secret-reads.ts'
import { slotOfRun } from './slot-of-run.ts'

/** What a context needs of the process. */
export interface ContextServices {
  readonly logs: RunLogs
  readonly transaction: TransactionRunner
  readonly secret?: ReadSecret | undefined
  /** Where the target of a run reports its outcome. @default nowhere */
  readonly callback?: ((run: ClaimedRun) => Promise<Callback>) | undefined
  onProgress(run: ClaimedRun, value: string): void
  /** Stores a checkpoint; false when another session owns the run by now. */
  checkpoint(run: ClaimedRun, state: string): Promise<boolean>
}

/** What a context needs of its attempt. */
export interface ContextAttempt {
  readonly run: ClaimedRun
  readonly ended: boolean
  /** How long ago the attempt started. */
  readonly ranMs: number
  onHeartbeat(): void
  onCommitted(): void
}

export class AttemptContext implements HandlerContext {
  readonly run: ClaimedRun
  readonly #attempt: ContextAttempt
  readonly #services: ContextServices
  readonly #checkpoint: string | null
  #controller: AbortController | undefined
  #tx: TransactionClient | undefined
  #log: RunLog | undefined
  #secrets: SecretReads | undefined

  /** `checkpoint`: the last one that an earlier attempt stored. */
  constructor(attempt: ContextAttempt, services: ContextServices, checkpoint: string | null) {
    this.run = attempt.run
    this.#attempt = attempt
    this.#services = services
    this.#checkpoint = checkpoint
  }

  get runId(): string {
    return this.run.id
  }
  get attempt(): number {
    return this.run.attempt + 1
  }
  get maxAttempts(): number {
    return this.run.maxAttempts
  }
  get idempotencyKey(): string {
    return this.run.id
  }
  get handler(): string {
    return this.run.handler
  }
  get queue(): string {
    return this.run.queue
  }
  get dueAt(): Date {
    return new Date(this.run.dueMs)
  }
  get trace(): string | null {
    return this.run.trace
  }
  get job(): HandlerContext['job'] {
    return slotOfRun(this.run)
  }
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }
  get log(): RunLog {
    this.#log ??= this.#services.logs.open(this.run, this.attempt, () => this.#secrets)
    return this.#log
  }
  get lastCheckpoint(): unknown {
    return this.#checkpoint === null ? null : JSON.parse(this.#checkpoint)
  }
  get tx(): TransactionClient {
    if (this.#tx) return this.#tx
    throw new PunctualError(
      'invalid_option',
      'ctx.tx belongs to runs with delivery transactional. Submit the run with it, or use ctx.transaction.',
      { field: 'delivery', id: this.run.id },
    )
  }

  // Created on access: most handlers use none of them, and may take them out of the context.
  get progress(): HandlerContext['progress'] {
    return (value) => {
      this.#attempt.onHeartbeat()
      if (this.#attempt.ended) return
      const json = storedJson(this.#secrets, value, 'progress', limits.logMessageLength)
      this.#services.onProgress(this.run, json)
    }
  }
  get secret(): HandlerContext['secret'] {
    return (name) => {
      this.#secrets ??= new SecretReads(this.run, this.#services.secret)
      return this.#secrets.read(name)
    }
  }
  get heartbeat(): HandlerContext['heartbeat'] {
    return () => this.#attempt.onHeartbeat()
  }
  get checkpoint(): HandlerContext['checkpoint'] {
    return async (state) => {
      this.#attempt.onHeartbeat()
      const json = encodeJson(state, 'checkpoint', limits.checkpointBytes)
      if (this.#attempt.ended || !(await this.#services.checkpoint(this.run, json)))
        throw new PunctualError(
          'lease_lost',
          `Run ${this.run.id} does not belong to this attempt any more; the checkpoint is not stored.`,
          { id: this.run.id },
        )
      this.#attempt.onHeartbeat()
    }
  }
  get transaction(): HandlerContext['transaction'] {
    return async (work) => {
      if (this.#tx) return work(this.#tx)
      let output: Awaited<ReturnType<typeof work>> | undefined
      const stored = async (tx: TransactionClient) => {
        output = await work(tx)
        return this.#secrets?.value(output) ?? output
      }
      await this.#services.transaction(this.run, () => this.#attempt.ranMs, stored)
      this.#attempt.onCommitted()
      return output as Awaited<ReturnType<typeof work>>
    }
  }

  get callback(): HandlerContext['callback'] {
    return async () => {
      const { callback } = this.#services
      if (callback) return callback(this.run)
      throw new PunctualError(
        'callbacks_unavailable',
        'This worker does not know where targets reach the HTTP API. Set callbackUrl to its address.',
        { id: this.run.id },
      )
    }
  }
  get awaitCallback(): HandlerContext['awaitCallback'] {
    return (options = {}) => new Awaiting(checkedAwait(options))
  }

  /** The secrets that the handler has read: they are removed from what is stored. */
  get secretReads(): SecretReads | undefined {
    return this.#secrets
  }

  /** Calls a handler inside the transaction that settles its run: `tx` is that transaction. */
  insideTransaction(call: () => unknown): Promise<unknown> {
    return this.transaction(async (tx) => {
      this.#tx = tx
      return call()
    })
  }

  /** Asks the handler to stop. */
  abort(reason: Error): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(reason)
  }
}

function checkedAwait({ timeoutMs, statusUrl }: AwaitOptions): AwaitOptions {
  return {
    ...(timeoutMs !== undefined && {
      timeoutMs: integer('timeoutMs', timeoutMs, 1, limits.delayMsMax),
    }),
    ...(statusUrl !== undefined && {
      statusUrl: checkText('statusUrl', statusUrl, limits.descriptionLength),
    }),
  }
}
