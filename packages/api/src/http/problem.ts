/**
 * Every error is answered as `application/problem+json` (RFC 9457) with a stable `code`. Errors of
 * Punctual take their status and title from core's catalogue; the few specific to HTTP are listed
 * here.
 */
import { type ErrorCode, errorCatalogue, PunctualError } from '@punctual/core/errors'
import { snakeName, wireSteps } from '../wire/snake.ts'
import { InvalidRequest } from './validator.ts'

const httpProblems = {
  route_not_found: { status: 404, meaning: 'No route has this address.' },
  invalid_request: { status: 400, meaning: 'The request cannot be read.' },
  request_too_large: { status: 413, meaning: 'The body is larger than the limit.' },
  media_type_unsupported: { status: 415, meaning: 'The media type of the body is not supported.' },
  too_many_requests: {
    status: 429,
    meaning: 'The caller sent more requests a second than allowed.',
  },
  not_ready: { status: 503, meaning: 'This process cannot accept work now.' },
  internal_error: {
    status: 500,
    meaning: 'The server failed for a reason unrelated to the request.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>

export const problemCatalogue = { ...errorCatalogue, ...httpProblems } as const
export type ProblemCode = ErrorCode | keyof typeof httpProblems

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
  readonly request_id: string
  /** The option, field or parameter that is wrong, in the names of the wire. */
  readonly field?: string
  /** The same as a JSON pointer into the body. */
  readonly pointer?: string
  /** Why a process is not ready. */
  readonly reason?: string
  /** The quota that is exhausted, its limit, and the use that the request would cause. */
  readonly quota?: { readonly name: string; readonly limit: number; readonly used: number }
}

export const problemType = 'application/problem+json; charset=utf-8'

export function problem(
  code: ProblemCode,
  detail: string,
  requestId: string,
  more: { field?: string | undefined; pointer?: string | undefined; reason?: string } = {},
): Problem {
  const { status, meaning } = problemCatalogue[code]
  return {
    type: `urn:punctual:error:${code}`,
    title: meaning,
    status,
    detail,
    code,
    request_id: requestId,
    ...(more.field !== undefined && { field: more.field }),
    ...(more.pointer !== undefined && { pointer: more.pointer }),
    ...(more.reason !== undefined && { reason: more.reason }),
  }
}

/** The code of an error of the HTTP server, by Fastify's code or by status. */
function codeOf(error: unknown): ProblemCode {
  const { code, statusCode }: { code?: unknown; statusCode?: unknown } =
    typeof error === 'object' && error !== null ? error : {}
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) return 'request_too_large'
  if (statusCode === 429) return 'too_many_requests'
  if (statusCode === 415) return 'media_type_unsupported'
  if (statusCode === 503) return 'not_ready'
  const status = Number(statusCode)
  return status >= 400 && status < 500 ? 'invalid_request' : 'internal_error'
}

/** `payload.items[3]` as a JSON pointer (RFC 6901), in the names of the wire. */
function pointerOf(field: string | undefined): string | undefined {
  if (field === undefined || /^[A-Z]/.test(field)) return undefined
  const steps = wireSteps(field).filter((step) => step !== 'body')
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** An error in one line, which refuses the whole request. */
export class WrongLine extends Error {
  readonly line: number

  constructor(cause: Error, line: number) {
    super(cause.message, { cause })
    this.line = line
  }
}

/** Prefixes the field and the pointer of a problem with the line it is in. */
export function inLine(problem: Problem, line: number): Problem {
  const { field, pointer } = problem
  const at = `[${line}]`
  if (field?.startsWith(at)) return problem
  return { ...problem, field: field ? `${at}.${field}` : at, pointer: `/${line}${pointer ?? ''}` }
}

function unreachable(requestId: string): string {
  return `The database does not answer. The log has the reason under request ${requestId}.`
}

/** An error as a client may see it. The text of an unexpected error stays in the log. */
export function problemFrom(error: unknown, requestId: string): Problem {
  if (error instanceof WrongLine) {
    return inLine(problemFrom(error.cause, requestId), error.line)
  }
  if (error instanceof PunctualError) {
    const { code, message, field, quota } = error
    // Its message names hosts and users, and callers get here before their key is checked.
    if (code === 'database_unavailable') return problem(code, unreachable(requestId), requestId)
    const place = { field, pointer: pointerOf(field) }
    if (!quota) return problem(code, message, requestId, place)
    const name = snakeName(quota.name)
    const detail = message.replace(` ${quota.name} `, ` ${name} `)
    return { ...problem(code, detail, requestId, place), quota: { ...quota, name } }
  }
  if (error instanceof InvalidRequest)
    return problem('invalid_request', error.message, requestId, error)
  const code = codeOf(error)
  if (code !== 'internal_error' && error instanceof Error)
    return problem(code, error.message, requestId)
  const detail = `The server failed to answer. Its log has the reason under request ${requestId}.`
  return problem(code, detail, requestId)
}
