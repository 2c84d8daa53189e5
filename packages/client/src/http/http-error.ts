/** What a request failed of: a problem that the server told (RFC 9457), or that no answer came. */

/** Why there is no problem document to tell of. */
export type TransportCode = 'connection_failed' | 'timeout' | 'unexpected_answer'

export interface ErrorDetails {
  /** Of the answer; 0 when there was none. */
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly field?: string | undefined
  readonly pointer?: string | undefined
  readonly requestId?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

export class PunctualHttpError extends Error {
  override readonly name: string = 'PunctualHttpError'
  /** Of the answer; 0 when there was none. */
  readonly status: number
  /** Stable: one of the codes of Punctual, or a `TransportCode`. */
  readonly code: string
  /** What was expected, what came, and what to do. */
  readonly detail: string
  /** The field or parameter that is wrong. */
  readonly field: string | undefined
  /** The same as a JSON pointer into the body. */
  readonly pointer: string | undefined
  /** Under which the log of the server has it. */
  readonly requestId: string | undefined
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined

  constructor(details: ErrorDetails) {
    const { cause } = details
    super(`${details.code}: ${details.detail}`, cause === undefined ? undefined : { cause })
    this.status = details.status
    this.code = details.code
    this.detail = details.detail
    this.field = details.field
    this.pointer = details.pointer
    this.requestId = details.requestId
    this.retryAfterMs = details.retryAfterMs
  }
}

const SHOWN_MAX = 200

/** The error that an answer is. */
export function errorOfAnswer(response: Response, text: string): PunctualHttpError {
  const problem = /[/+]json/.test(response.headers.get('content-type') ?? '') ? parse(text) : null
  const known = typeof problem?.code === 'string' ? problem : null
  const seen = text.slice(0, SHOWN_MAX).trim()
  return new PunctualHttpError({
    status: response.status,
    code: known?.code ?? 'unexpected_answer',
    detail: known?.detail ?? `The answer was ${response.status}${seen === '' ? '' : `: ${seen}`}.`,
    field: known?.field,
    pointer: known?.pointer,
    requestId: known?.request_id ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterOf(response.headers.get('retry-after')),
  })
}

interface WireProblem {
  readonly code?: string
  readonly detail?: string
  readonly field?: string
  readonly pointer?: string
  readonly request_id?: string
}

function parse(text: string): WireProblem | null {
  try {
    return JSON.parse(text) as WireProblem | null
  } catch {
    return null
  }
}

/** Seconds, or a date (RFC 9110). */
function retryAfterOf(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
