/** An HTTP request as the target of a run. */
import { checkText } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { checkedBy, duration, integer, members, onOrOff, text } from '../option/kinds.ts'
import type { Kind, OptionTable } from '../option/option.ts'
import { isHeaderName, isReservedHeader } from './http-headers.ts'
import type { TargetKind } from './target-kind.ts'
import { jsonTemplate, names, statuses, template, templates } from './target-kinds.ts'

/** Which responses are successes. All members that are given must hold. */
export interface HttpSuccess {
  /** Status codes and ranges, such as `200-299,404`. @default '200-299' */
  status?: string
  /** A text that the body must contain. */
  bodyContains?: string
  /** A text that the body must not contain. */
  bodyExcludes?: string
}

/** An HTTP request. Texts may have placeholders such as `{{payload.id}}`. */
export interface HttpTarget {
  /** Sends an HTTP request. */
  readonly kind: 'http'
  /** An absolute `http:` or `https:` URL. Values filled in are percent-encoded. */
  readonly url: string
  /** The method. @default 'POST' */
  readonly method?: string
  /** Headers of the request. @default none besides those that Punctual sets */
  readonly headers?: Readonly<Record<string, string>>
  /** The body: a string is sent as text, any other value as JSON. @default the payload, as JSON */
  readonly body?: unknown
  /**
   * Names of up to four secrets with the keys of a Standard Webhooks signature. The receiver
   * accepts any of them, so that keys can be rotated. @default no signature
   */
  readonly signingSecrets?: readonly string[]
  /** Which responses are successes. @default status 200-299 */
  readonly success?: HttpSuccess
  /** Status codes after which the run is retried. @default '408,425,429,500-599' */
  readonly retryStatus?: string
  /** How long the connection may take. @default 10000 */
  readonly connectTimeoutMs?: number
  /** How long the headers of the response may take. @default the timeout of the run */
  readonly headersTimeoutMs?: number
  /** How long the body of the response may pause. @default 30000 */
  readonly idleTimeoutMs?: number
  /** How long the whole request may take. @default the timeout of the run */
  readonly totalTimeoutMs?: number
  /** How many bytes of the response are read; the rest is cut. @default 262144 */
  readonly responseBytes?: number
  /** Decodes a compressed response (gzip, deflate, br). @default false */
  readonly decompress?: boolean
  /**
   * How long the target may take to report the outcome after it answered 202. Requests then carry
   * `punctual-callback-url` and `punctual-callback-token`. @default a 202 is a success
   */
  readonly awaitMs?: number
  /** How many redirects are followed, within the origin of `url`. @default 0 */
  readonly redirects?: number
}

const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/

const method: Kind<string> = checkedBy({ type: 'text', max: 32 }, (field, value) => {
  const given = checkText(field, value, 32)
  if (!METHOD.test(given) || /^(?:connect|trace)$/i.test(given))
    refuseOption(field, 'an HTTP method other than CONNECT and TRACE, such as POST', value)
  return given
})

const SCHEME = /^https?:\/\//i

/** The host may be a placeholder, so that only the worker can check all of it. */
const url: Kind<string> = checkedBy({ type: 'text', max: 8_192 }, (field, value) => {
  const given = template(8_192).check(field, value)
  const isUrl = given.startsWith('{{') || (SCHEME.test(given) && parses(given))
  return isUrl ? given : refuseOption(field, 'an absolute http: or https: URL', value)
})

function parses(given: string): boolean {
  const filled = given.replace(/\{\{.*?\}\}/g, '1')
  return URL.canParse(filled)
}

const isOwnHeader = (name: string) => isHeaderName(name) && !isReservedHeader(name)

const milliseconds = duration(1, limits.timeoutMsMax)

const success = members({
  status: {
    kind: statuses,
    default: '200-299',
    help: 'status codes that are successes',
    flag: '--http-success <statuses>',
  },
  bodyContains: {
    kind: text(1_024),
    help: 'a text that the body of a success contains',
    flag: '--http-success-contains <text>',
  },
  bodyExcludes: {
    kind: text(1_024),
    help: 'a text that the body of a success does not contain',
    flag: '--http-success-excludes <text>',
  },
})

const table = {
  url: {
    kind: url,
    required: true,
    help: 'send an HTTP request to this URL',
    guide: 'an absolute `http:` or `https:` URL; values filled in are percent-encoded',
    example: 'https://example.com/hooks/{{payload.id}}',
    flag: '--http <url>',
  },
  method: { kind: method, default: 'POST', help: 'the method', flag: '--http-method <method>' },
  headers: {
    kind: templates(
      isOwnHeader,
      'a header name that Punctual and the connection do not set themselves',
    ),
    help: 'a header of the request',
    guide: 'headers of the request',
    flag: '--http-header <name=value...>',
  },
  body: {
    kind: jsonTemplate,
    defaultShown: 'the payload',
    help: 'the body: a string is sent as text, other JSON as JSON',
    flag: '--http-body <json>',
  },
  signingSecrets: {
    kind: names(4, 'names of secrets'),
    help: 'a secret that signs the request, as Standard Webhooks says',
    guide:
      'names of up to four secrets that sign the request ([signature](guides/targets.md#signature))',
    flag: '--http-signing-secret <name...>',
  },
  success: { kind: success, help: 'which responses are successes', flag: null },
  retryStatus: {
    kind: statuses,
    default: '408,425,429,500-599',
    help: 'status codes after which the run is retried',
    flag: '--http-retry-status <statuses>',
  },
  connectTimeoutMs: {
    kind: milliseconds,
    default: 10_000,
    help: 'how long the connection may take',
    flag: '--http-connect-timeout <time>',
  },
  headersTimeoutMs: {
    kind: milliseconds,
    defaultShown: 'the timeout of the run',
    help: 'how long the headers of the response may take',
    flag: '--http-headers-timeout <time>',
  },
  idleTimeoutMs: {
    kind: milliseconds,
    default: 30_000,
    help: 'how long the body of the response may pause',
    flag: '--http-idle-timeout <time>',
  },
  totalTimeoutMs: {
    kind: milliseconds,
    defaultShown: 'the timeout of the run',
    help: 'how long the whole request may take',
    flag: '--http-total-timeout <time>',
  },
  responseBytes: {
    kind: integer(0, limits.outputBytes),
    default: 262_144,
    help: 'how many bytes of the response are read',
    guide: 'how many bytes of the response are read, after decoding; the rest is cut',
    flag: '--http-response-bytes <n>',
  },
  decompress: {
    kind: onOrOff,
    default: false,
    help: 'decode a compressed response',
    flag: '--http-decompress',
  },
  awaitMs: {
    kind: duration(1, limits.timeoutMsMax),
    defaultShown: 'a 202 is a success',
    help: 'how long the target may take to report the outcome after a 202',
    guide:
      'how long the target may take to [report the outcome](awaiting.md) after it answered 202',
    flag: '--http-await <time>',
  },
  redirects: {
    kind: integer(0, 10),
    default: 0,
    help: 'how many redirects within the origin are followed',
    flag: '--http-redirects <n>',
  },
} as const satisfies OptionTable

export const httpTarget: TargetKind<HttpTarget, typeof table> = {
  kind: 'http',
  help: 'sends an HTTP request',
  members: table,
}
