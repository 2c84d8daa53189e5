/** Decides what an answer of a target means: success, or a failure that is retried or not. */
import { type HttpTarget, statusRanges } from '@punctual/core/target'
import type { ExecutionOutcome, Reached } from '../executor.ts'
import { failed } from '../failed.ts'
import type { Exchanged } from './exchange.ts'
import { retryAfterIn } from './retry-after.ts'

/** The target does the work later, and reports its outcome. */
const ACCEPTED = 202
const SUCCESS = '200-299'
const RETRIED = '408,425,429,500-599'

/** A gateway answered in place of the target, which may have received the request or not. */
const FROM_GATEWAYS: ReadonlySet<number> = new Set([502, 504])

type Answered = Extract<Exchanged, { readonly kind: 'answered' }>

export function judgeResponse(
  answer: Answered,
  { success = {}, retryStatus = RETRIED, awaitMs }: HttpTarget,
  nowMs: number,
): ExecutionOutcome {
  const { status, body } = answer
  if (status === ACCEPTED && awaitMs !== undefined) return { kind: 'awaiting', timeoutMs: awaitMs }
  const expected = success.status ?? SUCCESS
  const output = { status, body: bodyOf(answer), ...(body.truncated && { truncated: true }) }
  if (!isAmong(expected, status)) return refused(answer, expected, retryStatus, nowMs)
  const { bodyContains, bodyExcludes } = success
  const wrong =
    bodyContains !== undefined && !body.text.includes(bodyContains)
      ? 'does not contain the text of success.bodyContains'
      : bodyExcludes !== undefined && body.text.includes(bodyExcludes)
        ? 'contains the text of success.bodyExcludes'
        : null
  if (wrong === null) return { kind: 'succeeded', output }
  return failed('response_body', `The target answered ${status}, and the body ${wrong}.`, 'yes')
}

function isAmong(ranges: string, status: number): boolean {
  return statusRanges(ranges)?.some(([first, last]) => status >= first && status <= last) ?? false
}

/** The beginning of the body, which usually says why the target refused. */
const SHOWN = 512

function refused(
  { status, headers, body }: Answered,
  expected: string,
  retryStatus: string,
  nowMs: number,
): ExecutionOutcome {
  const reached: Reached = FROM_GATEWAYS.has(status) ? 'perhaps' : 'yes'
  const retry = isAmong(retryStatus, status)
  const retryAfterMs = retry ? retryAfterIn(one(headers['retry-after']), nowMs) : undefined
  const isRedirect = status >= 300 && status < 400 && headers.location !== undefined
  const hint = isRedirect ? ' Redirects to another origin are not followed: change target.url.' : ''
  const said = body.text === '' ? '' : ` It said: ${body.text.slice(0, SHOWN)}`
  const message = `The target answered ${status}; success is ${expected}.${hint}${said}`
  return failed(`http_${status}`, message, reached, {
    retry,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

/** JSON as a value, everything else as text. */
function bodyOf({ headers, body }: Answered): unknown {
  const type = one(headers['content-type']) ?? ''
  if (body.truncated || !/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return body.text
  try {
    return JSON.parse(body.text)
  } catch {
    return body.text
  }
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
