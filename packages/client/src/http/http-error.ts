/** The error of a request: a problem document of the server (RFC 9457), or a failed connection. */

/** Codes for failures without a problem document. */
export type TransportCode = 'connection_failed' | 'timeout' | 'unexpected_answer'

export interface ErrorDetails {
  /** The HTTP status; 0 without an answer. */
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
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  /** Stable: one of the codes of Punctual, or a `TransportCode`. */
  readonly code: string
  /** States what was expected, what was received, and how to fix it. */
  readonly detail: string
  /** The field or parameter that is wrong. */
  readonly field: string | undefined
  /** The same as a JSON pointer into the body. */
  readonly pointer: string | undefined
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  /** The delay that the server asks for before a retry. */
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

/** The error for an unsuccessful answer. */
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
