/**
 * Translates the status of a call into the outcome of the run. A status that the service chose is a definite answer;
 * one that the connection, a proxy or the deadline caused leaves open whether the service acted.
 */
import type { ServiceError } from '@grpc/grpc-js'
import type { ExecutionOutcome, Reached } from '../executor.ts'
import { failed } from '../failed.ts'
import type { Grpc } from './load-grpc.ts'

interface Judgement {
  readonly reached: Reached
  readonly retry: boolean
}

const definite: Judgement = { reached: 'yes', retry: false }
const transient: Judgement = { reached: 'yes', retry: true }
const open: Judgement = { reached: 'perhaps', retry: true }

/** https://grpc.io/docs/guides/status-codes says who sends each of them. */
const judgements: Readonly<Record<string, Judgement>> = {
  CANCELLED: open,
  UNKNOWN: open,
  INVALID_ARGUMENT: definite,
  DEADLINE_EXCEEDED: open,
  NOT_FOUND: definite,
  ALREADY_EXISTS: definite,
  PERMISSION_DENIED: definite,
  RESOURCE_EXHAUSTED: transient,
  FAILED_PRECONDITION: definite,
  ABORTED: transient,
  OUT_OF_RANGE: definite,
  UNIMPLEMENTED: definite,
  INTERNAL: open,
  UNAVAILABLE: open,
  DATA_LOSS: { reached: 'perhaps', retry: false },
  UNAUTHENTICATED: definite,
}

/** The response was larger than it may be: another one would be as large. */
const TOO_LARGE = /larger than max/

export function judgeStatus(error: ServiceError, grpc: Grpc): ExecutionOutcome {
  const name = grpc.status[error.code] ?? 'UNKNOWN'
  const { reached, retry } = judgements[name] ?? open
  const message = `The call ended with the status ${name}: ${error.details || error.message}`
  const code = `grpc_${name.toLowerCase()}`
  if (TOO_LARGE.test(error.details)) return failed(code, message, 'perhaps', { retry: false })
  const [pushback] = error.metadata?.get('grpc-retry-pushback-ms') ?? []
  const ms = Number(pushback ?? Number.NaN)
  // A negative value asks for no retry.
  if (ms < 0) return failed(code, message, reached, { retry: false })
  return failed(code, message, reached, { retry, ...(ms >= 0 && retry && { retryAfterMs: ms }) })
}
