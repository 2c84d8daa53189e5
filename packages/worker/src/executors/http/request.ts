/** Builds the request of a run: everything that can fail is done before anything is sent. */
import type { HttpTarget } from '@punctual/core/target'
import type { Call } from '../executor.ts'
import { PreparationError } from '../failed.ts'
import { type Filled, fillJson, fillText } from '../template.ts'
import { signatures, signingKey } from './signature.ts'

/** A request that is complete but for the instant at which it is sent. */
export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
}

/** Returns the request for a fence and an instant, in milliseconds since 1970. */
export type MakeRequest = (fence: string, nowMs: number) => HttpRequest

export async function prepareRequest(target: HttpTarget, call: Call): Promise<MakeRequest> {
  const method = (target.method ?? 'POST').toUpperCase()
  const url = await urlOf(target.url, call)
  const own = await headersOf(target.headers ?? {}, call)
  const body = await bodyOf(target, method, call)
  const keys: Buffer[] = []
  for (const name of target.signingSecrets ?? [])
    keys.push(signingKey(name, await call.secret(name)))
  const callback = target.awaitMs === undefined ? null : await call.callback()
  // Checks everything once, while a failure still means that the target was not reached.
  parseUrl(url('0'))
  checkHeaders(own('0'))
  return (fence, nowMs) => {
    const { type, bytes } = body(fence)
    const timestamp = Math.floor(nowMs / 1_000)
    const signed = { id: call.idempotencyKey, timestamp, body: bytes ?? new Uint8Array() }
    const given = own(fence)
    checkHeaders(given)
    return {
      method,
      url: parseUrl(url(fence)),
      headers: {
        ...(type !== null && { 'content-type': type }),
        'user-agent': 'Punctual',
        ...given,
        ...headersOfRun(call, fence),
        ...(callback !== null && {
          'punctual-callback-url': callback.url,
          'punctual-callback-token': callback.token,
        }),
        'accept-encoding': target.decompress ? 'gzip, deflate, br' : 'identity',
        'webhook-timestamp': String(timestamp),
        ...(keys.length > 0 && { 'webhook-signature': signatures(signed, keys) }),
      },
      body: bytes,
    }
  }
}

/** The same in all attempts but for the attempt and the fence. */
function headersOfRun(call: Call, fence: string): Record<string, string> {
  const { idempotencyKey, runId, attempt, job, trace } = call
  return {
    ...(trace !== null && { traceparent: trace }),
    'idempotency-key': idempotencyKey,
    'webhook-id': idempotencyKey,
    'punctual-run': runId,
    'punctual-attempt': String(attempt),
    'punctual-fence': fence,
    ...(job !== null && { 'punctual-job': job.id }),
    ...(job?.slotAt && { 'punctual-slot': job.slotAt.toISOString() }),
  }
}

/** A value within a URL is one part of it: it cannot add a path, a query or another host. */
async function urlOf(text: string, call: Call): Promise<Filled<string>> {
  const isWhole = /^\{\{[^{}]*\}\}$/.test(text.trim())
  return fillText('target.url', text, call, isWhole ? undefined : encodeURIComponent)
}

function parseUrl(text: string): URL {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text)
  throw new PreparationError(
    'target_url_invalid',
    'target.url must be an absolute http: or https: URL after its placeholders are filled in.',
  )
}

async function headersOf(
  headers: Readonly<Record<string, string>>,
  call: Call,
): Promise<Filled<Record<string, string>>> {
  const filled: [string, Filled<string>][] = []
  for (const [name, text] of Object.entries(headers))
    filled.push([name.toLowerCase(), await fillText(`target.headers.${name}`, text, call)])
  return (fence) => Object.fromEntries(filled.map(([name, fill]) => [name, fill(fence)]))
}

/** What may stand in a header: visible characters, blanks and tabs, up to U+00FF. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers))
    if (!HEADER_VALUE.test(value))
      throw new PreparationError(
        'target_header_invalid',
        `target.headers.${name} must be one line of printable characters after its placeholders are filled in.`,
      )
}

interface Body {
  /** The media type; null without a body. */
  readonly type: string | null
  readonly bytes: Uint8Array | null
}

const NO_BODY: Body = { type: null, bytes: null }
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD'])

async function bodyOf(target: HttpTarget, method: string, call: Call): Promise<Filled<Body>> {
  const { body } = target
  if (body === undefined) {
    if (WITHOUT_BODY.has(method)) return () => NO_BODY
    const payload = jsonBody(call.payload)
    return () => payload
  }
  if (typeof body === 'string') {
    const fill = await fillText('target.body', body, call)
    return (fence) => ({ type: 'text/plain; charset=utf-8', bytes: Buffer.from(fill(fence)) })
  }
  const fill = await fillJson('target.body', body, call)
  return (fence) => jsonBody(fill(fence))
}

function jsonBody(value: unknown): Body {
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify(value ?? null)) }
}
