/**
 * `submit` and `submitMany` of a test's Punctual: they record submissions and, in inline mode,
 * resolve when the runs have ended. The runs are real: stored, claimed, executed by the worker and
 * settled.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { instantOf } from '@punctual/core/check'
import type { FinishedRun } from '@punctual/core/run'
import type { Submitted } from '@punctual/core/submit'
import type { Punctual } from '../punctual.ts'
import type { SubmitCallOptions, SubmitManyOptions } from '../submit/handler-handle.ts'
import { checkCall } from '../submit/submit-call.ts'
import type { TestDrain } from './test-drain.ts'
import type { TestSubmissions } from './test-submissions.ts'

/** The answer to a submission in a test. */
export interface TestSubmitted extends Submitted {
  /**
   * The ended run. Null without inline mode, when the run is due later, and in your own
   * transaction.
   */
  readonly run: FinishedRun | null
}

export interface TestSubmitParts {
  readonly punctual: Punctual
  readonly submissions: TestSubmissions
  readonly drain: TestDrain
  readonly inline: boolean
  readonly timeoutMs: number
}

export class TestSubmit {
  readonly #parts: TestSubmitParts
  /** The runs whose handlers enclose the current call: they cannot end before the call returns. */
  readonly #enclosing = new AsyncLocalStorage<readonly string[]>()
  readonly #submit: Punctual['submit']
  readonly #submitMany: Punctual['submitMany']

  constructor(parts: TestSubmitParts) {
    const { punctual } = parts
    this.#parts = parts
    this.#submit = punctual.submit.bind(punctual)
    this.#submitMany = punctual.submitMany.bind(punctual)
    if (parts.inline)
      punctual.use({
        around: ({ context }, next) => this.#enclosing.run([...this.#outer, context.runId], next),
      })
  }

  get #outer(): readonly string[] {
    return this.#enclosing.getStore() ?? []
  }

  async submit(
    handler: string,
    payload?: unknown,
    options: SubmitCallOptions = {},
  ): Promise<TestSubmitted> {
    const accepting = this.#submit(handler, payload, this.#strict(options))
    const seen = asSeen(payload)
    const submitted = await accepting
    this.#parts.submissions.keep(handler, seen, options, submitted)
    return this.#ended(submitted, options)
  }

  async submitMany<Payload>(
    handler: string,
    payloads: readonly Payload[],
    options: SubmitManyOptions<Payload> = {},
  ): Promise<readonly TestSubmitted[]> {
    if (!Array.isArray(payloads)) return this.#submitMany(handler, payloads, options) as never
    const each = payloads.map((payload, i) =>
      typeof options === 'function' ? options(payload, i) : options,
    )
    const accepting =
      typeof options === 'function'
        ? this.#submitMany(handler, payloads, (_, i) => this.#strict(each[i] ?? {}))
        : this.#submitMany(handler, payloads, this.#strict(options))
    const seen = payloads.map(asSeen)
    const submitted = await accepting
    const optionsOf = (i: number): SubmitCallOptions => each[i] ?? {}
    for (const [i, answer] of submitted.entries())
      this.#parts.submissions.keep(handler, seen[i], optionsOf(i), answer)
    return Promise.all(submitted.map((answer, i) => this.#ended(answer, optionsOf(i))))
  }

  /**
   * In inline mode a run without a worker for its handler would never end: it is refused at once.
   */
  #strict(options: SubmitCallOptions): SubmitCallOptions {
    return this.#parts.inline ? { ...checkCall(options), strict: true } : options
  }

  async #ended(submitted: Submitted, options: SubmitCallOptions): Promise<TestSubmitted> {
    const { inline, drain, timeoutMs } = this.#parts
    const isWaitedFor = inline && options.tx === undefined && !isLater(options)
    if (!isWaitedFor || this.#outer.includes(submitted.id)) return { ...submitted, run: null }
    // A run whose key was already live may be due at another time.
    const run = await drain.settle(submitted.id, timeoutMs, submitted.created)
    return { ...submitted, run: run as FinishedRun | null }
  }
}

/**
 * The payload as a handler receives it; `submit` itself refuses a payload that JSON cannot
 * represent.
 */
function asSeen(payload: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(payload ?? null))
  } catch {
    return null
  }
}

function isLater({ runAt, delayMs = 0, onConflict }: SubmitCallOptions): boolean {
  return (
    delayMs > 0 ||
    onConflict === 'debounce' ||
    (runAt !== undefined && instantOf('runAt', runAt) > Date.now())
  )
}
