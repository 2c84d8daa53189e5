/** Defines the request fields that jobs and runs share. */
import { limits, PunctualError } from '@punctual/core/errors'
import type { RetryPolicyInput } from '@punctual/core/run'
import { parsePeriod } from '@punctual/core/schedule'
import Type, { type Static } from 'typebox'
import { exactly, labels, name, oneOf } from './schemas.ts'
import { fromWire } from './snake.ts'

export const whole = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description })

const retryPolicy = exactly(
  {
    max_attempts: Type.Optional(whole(1, limits.attemptsMax, 'Attempts, including the first.')),
    backoff: Type.Optional(
      Type.Union([
        oneOf(['exponential', 'linear', 'fixed'] as const),
        Type.Object(
          { kind: oneOf(['exponential', 'linear', 'fixed', 'list'] as const) },
          { additionalProperties: true },
        ),
      ]),
    ),
    retry_on: Type.Optional(Type.Array(Type.String(), { maxItems: 50 })),
    abort_on: Type.Optional(Type.Array(Type.String(), { maxItems: 50 })),
  },
  { description: 'When a failed attempt is retried.' },
)

const flowKey = Type.Unknown({ description: 'A string, or `{ "payload": "path" }`.' })

/**
 * The fields for the attempts of a run, its queue, and the limits that it shares with other runs.
 */
export const runFields = {
  labels: Type.Optional(labels),
  queue: Type.Optional(name),
  priority: Type.Optional(whole(limits.priorityMin, limits.priorityMax, 'Higher first.')),
  max_attempts: Type.Optional(whole(1, limits.attemptsMax, 'Attempts, including the first.')),
  max_retries: Type.Optional(whole(0, limits.attemptsMax - 1, 'Attempts after the first.')),
  retry_policy: Type.Optional(retryPolicy),
  timeout_seconds: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: limits.timeoutMsMax / 1_000 }),
  ),
  timeout_ms: Type.Optional(whole(1, limits.timeoutMsMax, 'The time limit of one attempt.')),
  heartbeat_ms: Type.Optional(Type.Integer({ minimum: 1 })),
  delivery: Type.Optional(oneOf(['at-least-once', 'at-most-once', 'transactional'] as const)),
  concurrency: Type.Optional(
    exactly({ key: flowKey, limit: Type.Optional(Type.Integer({ minimum: 1 })) }),
  ),
  rate: Type.Optional(
    exactly({
      key: Type.Optional(flowKey),
      limit: Type.Integer({ minimum: 1 }),
      per: Type.Optional(Type.Union([Type.String(), Type.Integer({ minimum: 1 })])),
      burst: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
}

const attempts = exactly(runFields)
type RunFields = Static<typeof attempts>

export function refuse(field: string, message: string): never {
  throw new PunctualError('invalid_option', message, { field })
}

export function delayMsOf(delay: number | string): number {
  if (typeof delay === 'number') return Math.round(delay * 1_000)
  const period = parsePeriod(delay)
  if (period.months !== 0)
    refuse('delay', 'delay must have a fixed length, which months do not have. Use run_at.')
  return period.days * 86_400_000 + period.elapsedMs
}

export function attemptsOf(job: RunFields): number | undefined {
  const ways = [
    ...[job.max_attempts, job.retry_policy?.max_attempts],
    job.max_retries === undefined ? undefined : job.max_retries + 1,
  ].filter((attempts) => attempts !== undefined)
  if (new Set(ways).size > 1)
    refuse(
      'max_attempts',
      'max_attempts, retry_policy.max_attempts and max_retries differ. Send one of them.',
    )
  return ways[0]
}

export function retryOf(policy: RunFields['retry_policy']): RetryPolicyInput | undefined {
  if (policy === undefined) return undefined
  const { max_attempts: _, backoff, ...rest } = policy
  const kind = typeof backoff === 'string' ? { kind: backoff } : fromWire(backoff)
  return { ...(backoff !== undefined && { backoff: kind }), ...(fromWire(rest) as object) } as never
}

export function timeoutMsOf(job: RunFields): number | undefined {
  if (job.timeout_seconds === undefined) return job.timeout_ms
  if (job.timeout_ms !== undefined)
    refuse('timeout_ms', 'timeout_ms and timeout_seconds exclude each other. Send one of them.')
  return Math.round(job.timeout_seconds * 1_000)
}
