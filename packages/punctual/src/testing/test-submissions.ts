/** What a program has submitted, as it said it: for asserts. What a rolled back transaction took along does not count. */
import { AssertionError } from 'node:assert'
import { inspect } from 'node:util'
import type { SubmitOptions } from '@punctual/core/submit'
import type { SubmitCallOptions, Submitted } from '../submit/handler-handle.ts'
import { matches } from './matches.ts'

/** Something that the program under test has submitted. */
export interface TestSubmission {
  /** The id of the run. */
  readonly id: string
  /** The name that it was submitted to. */
  readonly handler: string
  /** What a handler gets to see: it has been JSON. */
  readonly payload: unknown
  /** The options that the program gave. */
  readonly options: SubmitOptions
}

/** All that is said must be true of a submission. */
export interface SubmissionMatch {
  /** Part of the payload. Values may be regular expressions, and matchers such as `expect.any(String)`. */
  readonly payload?: unknown
  /** Part of the options, compared as the payload is. */
  readonly options?: Readonly<Record<string, unknown>>
  /** How many must match. @default at least one */
  readonly times?: number
  /** Whatever else must be true. */
  readonly where?: (submission: TestSubmission) => boolean
}

/** A handler: its name, or what `punctual.handler` returned. */
export type HandlerReference = string | { readonly name: string }

interface Kept extends TestSubmission {
  readonly inTransaction: boolean
}

const SHOWN_MAX = 10

export class TestSubmissions {
  readonly #exists: (id: string) => Promise<boolean>
  readonly #failures: () => string
  #kept: Kept[] = []

  constructor(exists: (id: string) => Promise<boolean>, failures: () => string) {
    this.#exists = exists
    this.#failures = failures
  }

  /** A submission whose key was live already has submitted nothing. */
  keep(handler: string, payload: unknown, given: SubmitCallOptions, submitted: Submitted): void {
    if (!submitted.created) return
    const { tx, ...options } = given
    this.#kept.push({ id: submitted.id, handler, payload, options, inTransaction: Boolean(tx) })
  }

  clear(): void {
    this.#kept = []
  }

  /** In the order in which they were submitted. */
  async of(handler: HandlerReference): Promise<TestSubmission[]> {
    const name = nameOf(handler)
    const found: TestSubmission[] = []
    for (const { inTransaction, ...kept } of this.#kept)
      if (kept.handler === name && (!inTransaction || (await this.#exists(kept.id))))
        found.push(kept)
    return found
  }

  /** The first that matches. */
  async assertSubmitted(
    handler: HandlerReference,
    match: SubmissionMatch,
  ): Promise<TestSubmission> {
    const { all, matching } = await this.#look(handler, match)
    const [first] = matching
    if (first && (match.times === undefined || match.times === matching.length)) return first
    const wanted = match.times === undefined ? 'Expected a submission' : `Expected ${match.times}`
    return this.#fail(handler, match, all, `${wanted}${asked(match)}, found ${matching.length}`)
  }

  async assertNotSubmitted(handler: HandlerReference, match: SubmissionMatch): Promise<void> {
    const { all, matching } = await this.#look(handler, match)
    if (matching.length === 0) return
    const what = `Expected no submission${asked(match)}, found ${matching.length}`
    this.#fail(handler, match, all, what)
  }

  async #look(handler: HandlerReference, match: SubmissionMatch) {
    const all = await this.of(handler)
    const { payload, options, where } = match
    const matching = all.filter(
      (it) =>
        (payload === undefined || matches(payload, it.payload)) &&
        (options === undefined || matches(options, it.options)) &&
        (where === undefined || where(it)),
    )
    return { all, matching }
  }

  #fail(
    handler: HandlerReference,
    match: SubmissionMatch,
    all: readonly TestSubmission[],
    what: string,
  ): never {
    const others = [...new Set(this.#kept.map((it) => it.handler))]
    const seen =
      all.length > 0
        ? `Submitted to it, at last:\n${all.slice(-SHOWN_MAX).map(describe).join('\n')}`
        : `Nothing was submitted to it; to others: ${others.join(', ') || 'nothing either'}.`
    throw new AssertionError({
      message: `${what} to ${nameOf(handler)}. ${seen}${this.#failures()}`,
      actual: all.map(({ payload, options }) => ({ payload, options })),
      expected: match,
      operator: 'submitted',
    })
  }
}

function nameOf(handler: HandlerReference): string {
  return typeof handler === 'string' ? handler : handler.name
}

function asked({ payload, options, where }: SubmissionMatch): string {
  const parts = [
    ...(payload === undefined ? [] : [`the payload ${inspect(payload, { breakLength: 200 })}`]),
    ...(options === undefined ? [] : [`the options ${inspect(options, { breakLength: 200 })}`]),
    ...(where === undefined ? [] : ['what `where` asks for']),
  ]
  return parts.length === 0 ? '' : ` with ${parts.join(' and ')}`
}

function describe({ payload, options }: TestSubmission): string {
  return `- ${inspect(payload, { breakLength: 200 })} ${inspect(options, { breakLength: 200 })}`
}
