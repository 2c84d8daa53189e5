/**
 * Members of requests that are not of the form of the option that they stand for. Every other
 * member of a run or a job is derived from the table of options.
 */
import { limits, PunctualError } from '@punctual/core/errors'
import type { FormOf } from '@punctual/core/option'
import { parsePeriod } from '@punctual/core/schedule'
import { sharedRunOptions } from '@punctual/core/submit'
import Type from 'typebox'
import { type Body, converterOf, type ReadOption } from './read-options.ts'
import { membersOf } from './schema-of.ts'
import { exactly, whole } from './schemas.ts'

const { maxAttempts, retry } = sharedRunOptions

/** A delay, in the words of what it delays. */
export const delaySchema = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.String({ minLength: 1, maxLength: 64 })], {
    description: `${description}: seconds, or a duration such as \`10m\`.`,
  })

export const otherForms = {
  max_retries: whole(0, limits.attemptsMax - 1, 'Attempts after the first.'),
  retry_policy: exactly(
    {
      ...membersOf({ maxAttempts: { ...maxAttempts, wire: ['max_attempts'] } }),
      ...membersOf((retry.kind.form as FormOf<'members'>).members),
    },
    { description: 'When a failed attempt is retried.' },
  ),
  timeout_seconds: Type.Number({
    exclusiveMinimum: 0,
    maximum: limits.timeoutMsMax / 1_000,
    description: 'Time limit of one attempt, in seconds.',
  }),
}

export const otherReaders: Readonly<Record<string, ReadOption>> = {
  delayMs: ({ delay }) => (delay === undefined ? undefined : delayMsOf(delay as number | string)),
  maxAttempts: attemptsOf,
  timeoutMs: timeoutMsOf,
  retry: retryOf,
}

export function refuse(field: string, message: string): never {
  throw new PunctualError('invalid_option', message, { field })
}

function delayMsOf(delay: number | string): number {
  if (typeof delay === 'number') return Math.round(delay * 1_000)
  const period = parsePeriod(delay)
  if (period.months !== 0)
    refuse('delay', 'delay must have a fixed length, which months do not have. Use run_at.')
  return period.days * 86_400_000 + period.elapsedMs
}

interface Attempts {
  readonly max_attempts?: number
  readonly max_retries?: number
  readonly retry_policy?: { readonly max_attempts?: number }
}

function attemptsOf({ max_attempts, max_retries, retry_policy }: Body & Attempts) {
  const ways = [
    ...[max_attempts, retry_policy?.max_attempts],
    max_retries === undefined ? undefined : max_retries + 1,
  ].filter((attempts) => attempts !== undefined)
  if (new Set(ways).size > 1)
    refuse(
      'max_attempts',
      'max_attempts, retry_policy.max_attempts and max_retries differ. Send one of them.',
    )
  return ways[0]
}

const convertRetry = converterOf(retry.kind.form)

function retryOf({ retry_policy: policy }: Body): unknown {
  return policy === undefined ? undefined : convertRetry(policy)
}

interface Timeouts {
  readonly timeout_ms?: number
  readonly timeout_seconds?: number
}

function timeoutMsOf({ timeout_ms, timeout_seconds }: Body & Timeouts): number | undefined {
  if (timeout_seconds === undefined) return timeout_ms
  if (timeout_ms !== undefined)
    refuse('timeout_ms', 'timeout_ms and timeout_seconds exclude each other. Send one of them.')
  return Math.round(timeout_seconds * 1_000)
}
