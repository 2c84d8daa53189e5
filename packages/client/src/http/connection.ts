/**
 * Sends requests to the API. Every write has a separate idempotency key, so that a request whose
 * answer was lost can be repeated without a second effect; reads are simply repeated. The address
 * that answered last is tried first.
 */
import { type ClientOptions, type CompiledOptions, compileOptions } from './client-options.ts'
import { errorOfAnswer, PunctualHttpError } from './http-error.ts'
import type { AnswerOf, CallOptions, InputOf, OperationName } from './operation.ts'
import { delayBefore, isTransient, leadsElsewhere, pause } from './retrying.ts'

export interface Outgoing {
  readonly method: string
  /** Below /v1, including its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
}

interface Parts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

type Read<T> = (response: Response) => Promise<T>

export class Connection {
  readonly #options: CompiledOptions
  /** The index of the address to try first. */
  #at = 0

  constructor(options: ClientOptions) {
    this.#options = compileOptions(options)
  }

  /** Calls any operation of the API: `call('GET /jobs/{id}', { params: { id } })`. */
  async call<O extends OperationName>(
    operation: O,
    input: InputOf<O>,
    options: CallOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<AnswerOf<O>> {
    const { params, query, body } = input as Parts
    const [method = '', path = ''] = operation.split(' ')
    const text = await this.request({
      ...{ method, path: addressOf(path, params, query), signal: options.signal },
      headers: {
        ...(body !== undefined && { 'content-type': contentType(body) }),
        ...(method !== 'GET' && { 'idempotency-key': options.idempotencyKey ?? makeKey() }),
        ...options.headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    })
    return (text === '' ? undefined : JSON.parse(text)) as AnswerOf<O>
  }

  /** The text of the answer, after retries if needed. */
  request(outgoing: Outgoing): Promise<string> {
    return this.#persist(outgoing, (response) => response.text(), false)
  }

  /** Opens a stream, which the signal ends; waits only for its start. */
  open(outgoing: Outgoing): Promise<Response> {
    return this.#persist(outgoing, async (response) => response, true)
  }

  async #persist<T>(outgoing: Outgoing, read: Read<T>, streams: boolean): Promise<T> {
    const { urls, retries, retryDelayMs } = this.#options
    let tried = 1
    for (let round = 0; ; ) {
      const at = this.#at
      try {
        return await this.#attempt(urls[at] as string, outgoing, read, streams)
      } catch (error) {
        outgoing.signal?.throwIfAborted()
        if (!(error instanceof PunctualHttpError) || !isTransient(error)) throw error
        if (leadsElsewhere(error)) {
          if (this.#at === at) this.#at = (at + 1) % urls.length
          // The other addresses are tried without a delay.
          if (tried++ < urls.length) continue
        }
        if (round >= retries) throw error
        tried = 1
        await pause(delayBefore(round++, retryDelayMs, error), outgoing.signal)
      }
    }
  }

  async #attempt<T>(url: string, outgoing: Outgoing, read: Read<T>, streams: boolean) {
    const { fetch, timeoutMs } = this.#options
    const limit = new AbortController()
    const abort = () => limit.abort(outgoing.signal?.reason)
    outgoing.signal?.throwIfAborted()
    outgoing.signal?.addEventListener('abort', abort)
    const timer = setTimeout(() => limit.abort(new Error('timeout')), timeoutMs)
    try {
      const response = await fetch(`${url}/v1${outgoing.path}`, {
        ...{ method: outgoing.method, signal: limit.signal, body: outgoing.body ?? null },
        headers: await this.#headers(outgoing),
        // A redirected write would arrive as a GET, and the key must not be sent to another host.
        ...{ redirect: 'manual', credentials: 'omit', cache: 'no-store' },
      })
      if (!response.ok) throw errorOfAnswer(response, await response.text())
      const answer = await read(response)
      if (!streams) outgoing.signal?.removeEventListener('abort', abort)
      return answer
    } catch (error) {
      outgoing.signal?.removeEventListener('abort', abort)
      if (error instanceof PunctualHttpError) throw error
      throw unanswered(limit.signal.aborted, timeoutMs, error)
    } finally {
      clearTimeout(timer)
    }
  }

  async #headers({ headers }: Outgoing): Promise<Record<string, string>> {
    const { tenant, apiKey } = this.#options
    const key = await apiKey()
    return {
      accept: 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(tenant !== undefined && { 'x-punctual-tenant': tenant }),
      ...headers,
    }
  }
}

function unanswered(timedOut: boolean, timeoutMs: number, cause: unknown): PunctualHttpError {
  return new PunctualHttpError(
    timedOut
      ? { status: 0, code: 'timeout', detail: `No answer within ${timeoutMs} ms.`, cause }
      : {
          status: 0,
          code: 'connection_failed',
          detail: `No answer: ${reason(cause)}.`,
          cause,
        },
  )
}

/** The cause that `fetch` wraps in a general error. */
function reason(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } }
  return cause?.message || message || String(error)
}

/** `crypto.randomUUID` is missing on pages served without TLS. */
function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** A string is NDJSON already. */
function contentType(body: unknown): string {
  return typeof body === 'string' ? 'application/x-ndjson' : 'application/json'
}

/** A list becomes a repeated parameter; undefined values are omitted. */
export function addressOf(path: string, params: Parts['params'], query: Parts['query']): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, params?.[name]))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one))
  return search.size === 0 ? filled : `${filled}?${search}`
}

function segment(name: string, value: string | undefined): string {
  // An empty segment, or one of dots, would change the path.
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(`${name} must be an id or a name; got ${JSON.stringify(value)}.`)
  return encodeURIComponent(value)
}
