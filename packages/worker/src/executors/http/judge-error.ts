/** Decides what a request without an answer means. */
import type { ExecutionOutcome } from '../executor.ts'
import { failed } from '../failed.ts'
import type { Exchanged } from './exchange.ts'

type Broken = Extract<Exchanged, { readonly kind: 'broken' }>

/** Errors of TLS that the same request meets again until the certificate is replaced. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|CRL_/

const words: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'headers_timeout',
  UND_ERR_BODY_TIMEOUT: 'idle_timeout',
}

export function judgeError({ error, reached }: Broken, origin: string): ExecutionOutcome {
  const found = codeOf(error)
  const code = words[found] ?? found
  const message =
    found === 'egress_refused'
      ? error.message
      : `The request to ${origin} failed: ${wordsOf(error)}`
  const isFinal = found === 'egress_refused' || found.startsWith('UND_ERR_INVALID')
  // A certificate is checked before the first byte of the request.
  const neverSent = reached === 'no' || CERTIFICATE.test(found)
  return failed(code, message, neverSent ? 'no' : reached, isFinal ? { retry: false } : {})
}

function codeOf(error: Error): string {
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code === 'string' && code !== '') return code
  const { cause } = error
  return cause instanceof Error ? codeOf(cause) : 'request_failed'
}

/** Several addresses that all failed are one error without a message. */
function wordsOf(error: Error): string {
  if (error.message !== '') return error.message
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  return first instanceof Error ? first.message : codeOf(error)
}
