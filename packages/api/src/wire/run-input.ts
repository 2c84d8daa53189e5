/** Requests that submit a run, and the library options that they stand for. */
import { limits } from '@punctual/core/errors'
import type { SubmitOptions } from '@punctual/core/submit'
import Type, { type Static } from 'typebox'
import type { Submission } from '../ports/service.ts'
import { attemptsOf, delayMsOf, retryOf, runFields, timeoutMsOf } from './run-fields.ts'
import { anyJson, exactly, instant, oneOf, text } from './schemas.ts'
import { fromWire } from './snake.ts'

export const newRun = exactly({
  handler: text(limits.nameLength, { description: 'The handler that runs it.' }),
  payload: Type.Optional(anyJson('The payload that the handler gets.')),
  run_at: Type.Optional(instant),
  delay: Type.Optional(
    Type.Union([Type.Number({ minimum: 0 }), Type.String({ minLength: 1, maxLength: 64 })], {
      description: 'Run this long from now: seconds, or a duration such as `10m`.',
    }),
  ),
  expires_at: Type.Optional(instant),
  key: Type.Optional(text(limits.keyLength, { description: 'Unique among live runs.' })),
  on_conflict: Type.Optional(
    oneOf(['return', 'replace', 'debounce', 'throttle', 'error'] as const),
  ),
  window: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.String()])),
  max_wait: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.String()])),
  trace: Type.Optional(text(limits.traceLength)),
  strict: Type.Optional(
    Type.Boolean({ description: 'Refuse when no live worker has the handler.' }),
  ),
  ...runFields,
})

const SPECIAL: ReadonlySet<string> = new Set([
  ...['handler', 'payload', 'delay', 'max_attempts', 'max_retries', 'retry_policy'],
  ...['timeout_seconds', 'timeout_ms'],
])

/** Reads the runs of one request. Runs with equal options share one object, compiled once. */
export class SubmissionReader {
  readonly #createdBy: string
  readonly #known = new Map<string, Submission['options']>()

  constructor(createdBy: string) {
    this.#createdBy = createdBy
  }

  read(run: Static<typeof newRun>): Submission {
    const { handler, payload, ...others } = run
    const shape = JSON.stringify(others)
    let options = this.#known.get(shape)
    if (options === undefined) {
      options = submissionOf(run, this.#createdBy).options as SubmitOptions
      this.#known.set(shape, options)
    }
    return { handler, payload, options }
  }
}

export function submissionOf(run: Static<typeof newRun>, createdBy: string): Submission {
  const others: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(run)) if (!SPECIAL.has(field)) others[field] = value
  const maxAttempts = attemptsOf(run)
  const timeoutMs = timeoutMsOf(run)
  const retry = retryOf(run.retry_policy)
  const options = {
    createdBy,
    ...(fromWire(others) as object),
    ...(run.delay !== undefined && { delayMs: delayMsOf(run.delay) }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(retry !== undefined && { retry }),
  } as SubmitOptions
  return { handler: run.handler, payload: run.payload, options }
}
