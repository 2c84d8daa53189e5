/** One call: its connection, its method, its metadata, and what its end means. */
import type { CallOptions, Client, Metadata, ServiceError } from '@grpc/grpc-js'
import type { GrpcTarget } from '@punctual/core/target'
import { EgressRefused } from '../egress/guarded-lookup.ts'
import type { Call, Execution, ExecutionOutcome } from '../executor.ts'
import type { ExecutorServices } from '../executor-services.ts'
import { failed, PreparationError } from '../failed.ts'
import type { Filled } from '../template.ts'
import type { Certificates, Channels } from './channels.ts'
import { judgeStatus } from './judge-status.ts'
import type { Grpc, GrpcPackages } from './load-grpc.ts'
import type { Methods } from './methods.ts'
import { encodeRequest, type UnaryMethod } from './unary-method.ts'

const CONNECT_MS = 10_000
const RESPONSE_BYTES = 262_144

/** The services that all calls of an executor share. */
export interface GrpcHost {
  readonly services: ExecutorServices
  readonly packages: GrpcPackages
  readonly channels: Channels
  readonly methods: Methods
}

/** A target whose placeholders are filled in. */
export interface CallFacts {
  readonly target: GrpcTarget
  readonly call: Call
  readonly message: Filled<unknown>
  readonly metadata: Filled<Readonly<Record<string, string>>>
  readonly tls: Certificates | null
}

export class GrpcExecution implements Execution {
  readonly #host: GrpcHost
  readonly #facts: CallFacts

  constructor(host: GrpcHost, facts: CallFacts) {
    this.#host = host
    this.#facts = facts
  }

  async execute(signal: AbortSignal, fence: string): Promise<ExecutionOutcome> {
    signal.throwIfAborted()
    const { target, call } = this.#facts
    call.log.info(`${target.service}/${target.method} at ${target.address}`)
    const outcome = await this.#perform(signal, fence)
    if (outcome.kind === 'failed')
      call.log.warn(outcome.failure.message, { code: outcome.failure.code })
    return outcome
  }

  async #perform(signal: AbortSignal, fence: string): Promise<ExecutionOutcome> {
    const { services, channels } = this.#host
    const { target, call, tls } = this.#facts
    const { tenantId } = call
    const { address, responseBytes = RESPONSE_BYTES } = target
    try {
      const rules = await services.egress(tenantId)
      return await channels.use({ tenantId, address, tls, responseBytes, rules }, (client) =>
        this.#call(client, signal, fence),
      )
    } catch (error) {
      return notSent(error)
    }
  }

  /** An error that it throws means that the request was not sent. */
  async #call(client: Client, signal: AbortSignal, fence: string): Promise<ExecutionOutcome> {
    const { packages, methods } = this.#host
    const { target, call, message } = this.#facts
    await connected(client, target, signal)
    const metadata = this.#metadata(packages.grpc, fence)
    const deadlineMs = Date.now() + (target.deadlineMs ?? call.timeoutMs)
    const asking = { client, metadata, deadlineMs, signal, tenantId: call.tenantId }
    const method = await methods.find(target, asking)
    const request = encodeRequest(method, message(fence))
    signal.throwIfAborted()
    const options = { deadline: deadlineMs }
    const end = await unary(client, { method, request, metadata, options, signal })
    return 'error' in end
      ? judgeStatus(end.error, packages.grpc)
      : { kind: 'succeeded', output: end.response }
  }

  #metadata(grpc: Grpc, fence: string): Metadata {
    const { call, metadata } = this.#facts
    const { runId, attempt, idempotencyKey, job, trace } = call
    const all = new grpc.Metadata()
    const given = {
      ...(trace !== null && { traceparent: trace }),
      ...metadata(fence),
      'idempotency-key': idempotencyKey,
      'punctual-run': runId,
      'punctual-attempt': String(attempt),
      'punctual-fence': fence,
      ...(job && { 'punctual-job': job.id }),
      ...(job?.slotAt && { 'punctual-slot': job.slotAt.toISOString() }),
    }
    for (const [name, value] of Object.entries(given)) all.set(name, value)
    return all
  }
}

function connected(client: Client, target: GrpcTarget, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + (target.connectTimeoutMs ?? CONNECT_MS)
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    client.waitForReady(deadline, (error) => {
      if (error) reject(new Error(`No connection to ${target.address} could be made.`))
      else resolve()
    })
  })
}

interface Request {
  readonly method: UnaryMethod
  readonly request: Buffer
  readonly metadata: Metadata
  readonly options: CallOptions
  readonly signal: AbortSignal
}

type End = { readonly error: ServiceError } | { readonly response: unknown }

function unary(client: Client, given: Request): Promise<End> {
  const { method, request, metadata, options, signal } = given
  return new Promise((resolve) => {
    const call = client.makeUnaryRequest(
      method.path,
      (encoded: Buffer) => encoded,
      (encoded: Buffer) => method.decode(encoded),
      request,
      metadata,
      options,
      (error, response) => {
        signal.removeEventListener('abort', cancel)
        resolve(error ? { error } : { response })
      },
    )
    const cancel = () => call.cancel()
    signal.addEventListener('abort', cancel)
  })
}

function notSent(error: unknown): ExecutionOutcome {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof EgressRefused) return failed(error.code, message, 'no', { retry: false })
  if (error instanceof PreparationError) return failed(error.code, message, 'no', { retry: false })
  return failed('grpc_not_sent', `The call was not sent: ${message}`, 'no')
}
