/**
 * Asking a Punctual server: one question, one answer, of whichever node is there. A node that cannot be reached, or says
 * that it stops, is left for the next one, and tried again later: sessions belong to no node. What is asked again must
 * be a question that may be; every verb of a worker but the claim is.
 */
import type { Clock } from '@punctual/core/clock'
import { type ErrorCode, errorCatalogue, PunctualError } from '@punctual/core/errors'

const PAUSE_MS = 100
const PAUSE_MS_MAX = 2_000
/** Faults of a server that asking again does not help. */
const LASTING = new Set(['secrets_key_missing', 'secret_unreadable'])

export interface ServerOptions {
  /** Where the nodes are, such as `https://jobs.example.com`. */
  readonly servers: readonly string[]
  readonly apiKey: string | null
  readonly clock: Clock
}

export interface Question {
  readonly method?: 'POST' | 'PATCH' | 'DELETE'
  /** Below `/v1/worker-sessions`. */
  readonly path: string
  /** JSON text. */
  readonly body?: string
  /** How long the answer may take. @default 10 s */
  readonly timeoutMs?: number
  /** How long to go on asking while nobody answers. @default not at all */
  readonly againMs?: number
  readonly signal?: AbortSignal
}

/** Nobody answered: whether the question was heard is not known. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

export class PunctualServer {
  readonly #options: ServerOptions
  /** The node that answered last. */
  #at = 0

  constructor(options: ServerOptions) {
    this.#options = options
  }

  async ask<T>(question: Question): Promise<T> {
    const { clock, servers } = this.#options
    const endMs = clock.monotonicMs() + (question.againMs ?? 0)
    for (let tries = 1; ; tries++) {
      const at = this.#at
      try {
        return (await this.#askOne(servers[at] as string, question)) as T
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        // Others may have found this out already.
        if (this.#at === at) this.#at = (at + 1) % servers.length
        const pauseMs = tries < servers.length ? 0 : Math.min(PAUSE_MS_MAX, PAUSE_MS * tries)
        const leftMs = endMs - clock.monotonicMs() - pauseMs
        if (question.signal?.aborted || leftMs <= 0) throw error
        await clock.sleep(pauseMs, question.signal)
      }
    }
  }

  async #askOne(server: string, question: Question): Promise<unknown> {
    const { apiKey } = this.#options
    const { body, path, signal, timeoutMs = 10_000 } = question
    const late = AbortSignal.timeout(timeoutMs)
    const answer = await fetch(`${server}/v1/worker-sessions${path}`, {
      method: question.method ?? 'POST',
      headers: {
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      signal: signal ? AbortSignal.any([late, signal]) : late,
    })
      .then(async (it) => ({ status: it.status, text: await it.text() }))
      .catch((cause: unknown) => {
        throw new NoAnswer(`${server} did not answer: ${reasonOf(cause)}`, { cause })
      })
    if (answer.status < 300) return JSON.parse(answer.text)
    throw problemOf(server, answer)
  }
}

/** What `fetch` hides behind "fetch failed". */
function reasonOf(cause: unknown): string {
  const { message, cause: below } = cause as Error & { cause?: Error }
  return below?.message || message
}

/** What a server says of a failure that is not ours is as good as no answer. */
function problemOf(server: string, { status, text }: { status: number; text: string }): Error {
  const { code, detail, field } = parse(text)
  const said = detail ?? `${server} answered ${status}.`
  const known = code !== undefined && Object.hasOwn(errorCatalogue, code)
  const isPassing = status >= 500 || status === 429 || status === 408
  if (isPassing && !LASTING.has(code ?? '')) return new NoAnswer(said)
  if (known) return new PunctualError(code as ErrorCode, said, field === undefined ? {} : { field })
  return new PunctualError('invalid_option', `${server} answered ${status}: ${said}`, {
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
