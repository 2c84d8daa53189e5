/** Performs runs whose target is an HTTP request. */
import type { HttpTarget } from '@punctual/core/target'
import { checkUrl, EgressRefused } from '../egress/guarded-lookup.ts'
import type { Call, Execution, ExecutionOutcome, Executor } from '../executor.ts'
import type { ExecutorServices } from '../executor-services.ts'
import { failed } from '../failed.ts'
import { Connections } from './connections.ts'
import { type ExchangeLimits, exchange } from './exchange.ts'
import { judgeError } from './judge-error.ts'
import { judgeResponse } from './judge-response.ts'
import { Origins } from './origins.ts'
import { followed } from './redirect.ts'
import { type HttpRequest, prepareRequest } from './request.ts'

/** Requests to one origin, for one tenant and in one process. */
const CONCURRENCY = 100
const WAITING = 1_000
const CONNECT_MS = 10_000
const IDLE_MS = 30_000
const RESPONSE_BYTES = 262_144

/** One request, without what is the same for all requests of the executor. */
interface Sending {
  readonly request: HttpRequest
  readonly target: HttpTarget
  readonly call: Call
  readonly signal: AbortSignal
}

export class HttpExecutor implements Executor<HttpTarget> {
  readonly kind = 'http'
  readonly #services: ExecutorServices
  readonly #connections: Connections
  readonly #origins: Origins

  constructor(services: ExecutorServices) {
    this.#services = services
    const { clock, resolve, ca } = services
    this.#connections = new Connections({ clock, resolve, ca, connectionsPerOrigin: CONCURRENCY })
    this.#origins = new Origins(clock, { concurrency: CONCURRENCY, waiting: WAITING })
  }

  async prepare(target: HttpTarget, call: Call): Promise<Execution> {
    const make = await prepareRequest(target, call)
    return {
      execute: (signal, fence) => {
        const request = make(fence, this.#services.clock.wallMs())
        return this.#perform({ request, target, call, signal })
      },
    }
  }

  async close(): Promise<void> {
    await this.#connections.close()
  }

  async #perform(sending: Sending): Promise<ExecutionOutcome> {
    const { call, target } = sending
    let outcome = await this.#send(sending)
    for (let left = target.redirects ?? 0; left > 0 && 'redirect' in outcome; left--)
      outcome = await this.#send({ ...sending, request: outcome.redirect })
    const end = 'redirect' in outcome ? outcome.otherwise : outcome
    // A success is in the output of the run: a line about it would be one more row for each run.
    if (end.kind === 'failed') call.log.warn(end.failure.message, { code: end.failure.code })
    return end
  }

  async #send(
    sending: Sending,
  ): Promise<ExecutionOutcome | { redirect: HttpRequest; otherwise: ExecutionOutcome }> {
    const { request, target, call, signal } = sending
    const { url } = request
    const { clock } = this.#services
    const rules = await this.#services.egress(call.tenantId)
    try {
      checkUrl(url, rules)
    } catch (error) {
      if (!(error instanceof EgressRefused)) throw error
      return failed(error.code, error.message, 'no', { retry: false })
    }
    const key = `${call.tenantId} ${url.origin}`
    const refused = await this.#origins.enter(key, url.origin, signal)
    if (refused) return refused
    let isHealthy: boolean | null = false
    try {
      const connectTimeoutMs = target.connectTimeoutMs ?? CONNECT_MS
      const wanted = { tenantId: call.tenantId, url, rules, connectTimeoutMs }
      const end = await this.#connections.use(wanted, (dispatcher) =>
        exchange(request, { dispatcher, clock, signal, limits: limitsOf(target) }),
      )
      isHealthy = end.kind === 'answered' ? end.status < 500 : isGivenUp(signal) ? null : false
      if (end.kind === 'broken') return judgeError(end, url.origin)
      const outcome = judgeResponse(end, target, clock.wallMs())
      const redirect = followed(end, request)
      return redirect === null ? outcome : { redirect, otherwise: outcome }
    } finally {
      this.#origins.leave(key, isHealthy)
    }
  }
}

/** A request that a cancellation ended says nothing about the origin; a timeout does. */
function isGivenUp({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof Error && reason.name === 'TimeoutError')
}

function limitsOf(target: HttpTarget): ExchangeLimits {
  return {
    // The signal of the attempt is aborted at the timeout of the run.
    headersTimeoutMs: target.headersTimeoutMs ?? 0,
    idleTimeoutMs: target.idleTimeoutMs ?? IDLE_MS,
    totalTimeoutMs: target.totalTimeoutMs ?? null,
    responseBytes: target.responseBytes ?? RESPONSE_BYTES,
    decompress: target.decompress ?? false,
  }
}
