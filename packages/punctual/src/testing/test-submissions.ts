/**
 * Records what a program submitted, for assertions. Submissions of a rolled-back transaction do not
 * count.
 */
import { AssertionError } from 'node:assert'
import { inspect } from 'node:util'
import type { SubmitOptions, Submitted } from '@punctual/core/submit'
import type { SubmitCallOptions } from '../submit/handler-handle.ts'
import { matches } from './matches.ts'

/** A submission made by the program under test. */
export interface TestSubmission {
  /** The id of the run. */
  readonly id: string
  /** The name of the handler. */
  readonly handler: string
  /** The payload as a handler receives it, after a round trip through JSON. */
  readonly payload: unknown
  /** The options passed to `submit`, without `tx`. */
  readonly options: SubmitOptions
}

/** A pattern for submissions: every given field must match. */
export interface SubmissionMatch {
  /**
   * A part of the payload; may contain regular expressions and matchers such as
   * `expect.any(String)`.
   */
  readonly payload?: unknown
  /** A part of the options, compared like the payload. */
  readonly options?: Readonly<Record<string, unknown>>
  /** The exact number of matching submissions. @default at least one */
  readonly times?: number
  /** An additional condition. */
  readonly where?: (submission: TestSubmission) => boolean
}

/** A handler: its name, or the handle that `punctual.handler` returned. */
export type HandlerReference = string | { readonly name: string }

interface RecordedSubmission extends TestSubmission {
  readonly inTransaction: boolean
}

const SHOWN_MAX = 10

export class TestSubmissions {
  readonly #exists: (id: string) => Promise<boolean>
  readonly #failures: () => string
  #all: RecordedSubmission[] = []

  constructor(exists: (id: string) => Promise<boolean>, failures: () => string) {
    this.#exists = exists
    this.#failures = failures
  }

  /** Ignores a submission that created no run because its key was live. */
  keep(handler: string, payload: unknown, given: SubmitCallOptions, submitted: Submitted): void {
    if (!submitted.created) return
    const { tx, ...options } = given
    this.#all.push({ id: submitted.id, handler, payload, options, inTransaction: Boolean(tx) })
  }

  clear(): void {
    this.#all = []
  }

  /** The submissions to a handler, oldest first. */
  async list(handler: HandlerReference): Promise<TestSubmission[]> {
    const name = nameOf(handler)
    const found: TestSubmission[] = []
    for (const { inTransaction, ...submission } of this.#all)
      if (submission.handler === name && (!inTransaction || (await this.#exists(submission.id))))
        found.push(submission)
    return found
  }

  /** Returns the first match. */
  async assertSubmitted(
    handler: HandlerReference,
    match: SubmissionMatch,
  ): Promise<TestSubmission> {
    const { all, matching } = await this.#match(handler, match)
    const [first] = matching
    if (first && (match.times === undefined || match.times === matching.length)) return first
    const expected = match.times === undefined ? 'Expected a submission' : `Expected ${match.times}`
    return this.#fail(
      handler,
      match,
      all,
      `${expected}${conditions(match)}, found ${matching.length}`,
    )
  }

  async assertNotSubmitted(handler: HandlerReference, match: SubmissionMatch): Promise<void> {
    const { all, matching } = await this.#match(handler, match)
    if (matching.length === 0) return
    const message = `Expected no submission${conditions(match)}, found ${matching.length}`
    this.#fail(handler, match, all, message)
  }

  async #match(handler: HandlerReference, match: SubmissionMatch) {
    const all = await this.list(handler)
    const { payload, options, where } = match
    const matching = all.filter(
      (submission) =>
        (payload === undefined || matches(payload, submission.payload)) &&
        (options === undefined || matches(options, submission.options)) &&
        (where === undefined || where(submission)),
    )
    return { all, matching }
  }

  #fail(
    handler: HandlerReference,
    match: SubmissionMatch,
    all: readonly TestSubmission[],
    message: string,
  ): never {
    const others = [...new Set(this.#all.map((submission) => submission.handler))]
    const seen =
      all.length > 0
        ? `Its latest submissions:\n${all.slice(-SHOWN_MAX).map(describe).join('\n')}`
        : `It has no submissions; other handlers with submissions: ${others.join(', ') || 'none'}.`
    throw new AssertionError({
      message: `${message} to ${nameOf(handler)}. ${seen}${this.#failures()}`,
      actual: all.map(({ payload, options }) => ({ payload, options })),
      expected: match,
      operator: 'submitted',
    })
  }
}

function nameOf(handler: HandlerReference): string {
  return typeof handler === 'string' ? handler : handler.name
}

function conditions({ payload, options, where }: SubmissionMatch): string {
  const parts = [
    ...(payload === undefined ? [] : [`the payload ${inspect(payload, { breakLength: 200 })}`]),
    ...(options === undefined ? [] : [`the options ${inspect(options, { breakLength: 200 })}`]),
    ...(where === undefined ? [] : ['the condition of `where`']),
  ]
  return parts.length === 0 ? '' : ` with ${parts.join(' and ')}`
}

function describe({ payload, options }: TestSubmission): string {
  return `- ${inspect(payload, { breakLength: 200 })} ${inspect(options, { breakLength: 200 })}`
}
