/**
 * Sends requests to a Punctual server; any of its nodes may answer. When a node is unreachable or
 * is stopping, the next one is used, and the first is tried again later: sessions do not belong to
 * a node. A request may be repeated only if that is safe; every operation of a worker except the
 * claim is.
 */
import type { Clock } from '@punctual/core/clock'
import { type ErrorCode, errorCatalogue, PunctualError } from '@punctual/core/errors'

const PAUSE_MS = 100
const PAUSE_MS_MAX = 2_000
/** Server errors that a repetition cannot fix. */
const LASTING = new Set(['secrets_key_missing', 'secret_unreadable'])

export interface ServerOptions {
  /** The addresses of the nodes, such as `https://jobs.example.com`. */
  readonly servers: readonly string[]
  readonly apiKey: string | null
  readonly clock: Clock
}

export interface ServerRequest {
  readonly method?: 'POST' | 'PATCH' | 'DELETE'
  /** The path below `/v1/worker-sessions`. */
  readonly path: string
  /** A JSON text. */
  readonly body?: string
  /** How long the answer may take. @default 10 s */
  readonly timeoutMs?: number
  /** How long to repeat the request while no node answers. @default not at all */
  readonly retryMs?: number
  readonly signal?: AbortSignal
}

/** No node answered: whether the request was processed is unknown. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

export class PunctualServer {
  readonly #options: ServerOptions
  /** The index of the node that answered last. */
  #node = 0

  constructor(options: ServerOptions) {
    this.#options = options
  }

  async send<T>(request: ServerRequest): Promise<T> {
    const { clock, servers } = this.#options
    const endMs = clock.monotonicMs() + (request.retryMs ?? 0)
    for (let tries = 1; ; tries++) {
      const node = this.#node
      try {
        return (await this.#sendTo(servers[node] as string, request)) as T
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        // A concurrent request may have moved on already.
        if (this.#node === node) this.#node = (node + 1) % servers.length
        const pauseMs = tries < servers.length ? 0 : Math.min(PAUSE_MS_MAX, PAUSE_MS * tries)
        const leftMs = endMs - clock.monotonicMs() - pauseMs
        if (request.signal?.aborted || leftMs <= 0) throw error
        await clock.sleep(pauseMs, request.signal)
      }
    }
  }

  async #sendTo(server: string, request: ServerRequest): Promise<unknown> {
    const { apiKey } = this.#options
    const { body, path, signal, timeoutMs = 10_000 } = request
    const late = AbortSignal.timeout(timeoutMs)
    const answer = await fetch(`${server}/v1/worker-sessions${path}`, {
      method: request.method ?? 'POST',
      headers: {
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      signal: signal ? AbortSignal.any([late, signal]) : late,
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((cause: unknown) => {
        throw new NoAnswer(`${server} did not answer: ${reasonOf(cause)}`, { cause })
      })
    if (answer.status < 300) return JSON.parse(answer.text)
    throw problemOf(server, answer)
  }
}

/** The reason that `fetch` hides behind "fetch failed". */
function reasonOf(cause: unknown): string {
  const { message, cause: below } = cause as Error & { cause?: Error }
  return below?.message || message
}

/** A failure that another node or a later request can avoid counts as no answer. */
function problemOf(server: string, { status, text }: { status: number; text: string }): Error {
  const { code, detail, field } = parse(text)
  const message = detail ?? `${server} answered ${status}.`
  const known = code !== undefined && Object.hasOwn(errorCatalogue, code)
  const isPassing = status >= 500 || status === 429 || status === 408
  if (isPassing && !LASTING.has(code ?? '')) return new NoAnswer(message)
  if (known)
    return new PunctualError(code as ErrorCode, message, field === undefined ? {} : { field })
  return new PunctualError('invalid_option', `${server} answered ${status}: ${message}`, {
    field: field ?? 'server',
  })
}

function parse(text: string): { code?: string; detail?: string; field?: string } {
  try {
    return (JSON.parse(text) as object | null) ?? {}
  } catch {
    return {}
  }
}
