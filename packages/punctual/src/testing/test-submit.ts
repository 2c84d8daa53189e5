/**
 * `submit` and `submitMany` as a Punctual of tests has them: they keep what was submitted and, in inline mode, resolve
 * when its runs have ended. The run itself is a real one: it is stored, claimed, run by the worker and settled.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { instantOf } from '@punctual/core/check'
import type { FinishedRun } from '@punctual/core/run'
import type { Punctual } from '../punctual.ts'
import type { SubmitCallOptions, SubmitManyOptions, Submitted } from '../submit/handler-handle.ts'
import { checkCall } from '../submit/submit-call.ts'
import type { TestDrain } from './test-drain.ts'
import type { TestSubmissions } from './test-submissions.ts'

/** What a submission of a test came to. */
export interface TestSubmitted extends Submitted {
  /** How it ended. Null without inline mode, when it is due later, and in a transaction of your own. */
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
  /** The runs inside of which the program is: they cannot end before what they wait for has. */
  readonly #around = new AsyncLocalStorage<readonly string[]>()
  readonly #submit: Punctual['submit']
  readonly #submitMany: Punctual['submitMany']

  constructor(parts: TestSubmitParts) {
    const { punctual } = parts
    this.#parts = parts
    this.#submit = punctual.submit.bind(punctual)
    this.#submitMany = punctual.submitMany.bind(punctual)
    if (parts.inline)
      punctual.use({
        around: ({ context }, next) => this.#around.run([...this.#outer, context.runId], next),
      })
  }

  get #outer(): readonly string[] {
    return this.#around.getStore() ?? []
  }

  async submit(
    handler: string,
    payload?: unknown,
    options: SubmitCallOptions = {},
  ): Promise<TestSubmitted> {
    const accepting = this.#submit(handler, payload, this.#asked(options))
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
        ? this.#submitMany(handler, payloads, (_, i) => this.#asked(each[i] ?? {}))
        : this.#submitMany(handler, payloads, this.#asked(options))
    const seen = payloads.map(asSeen)
    const submitted = await accepting
    const optionsOf = (i: number): SubmitCallOptions => each[i] ?? {}
    for (const [i, it] of submitted.entries())
      this.#parts.submissions.keep(handler, seen[i], optionsOf(i), it)
    return Promise.all(submitted.map((it, i) => this.#ended(it, optionsOf(i))))
  }

  /** A run that nobody here can run would be waited for in vain: say so at once. */
  #asked(options: SubmitCallOptions): SubmitCallOptions {
    return this.#parts.inline ? { ...checkCall(options), strict: true } : options
  }

  async #ended(submitted: Submitted, options: SubmitCallOptions): Promise<TestSubmitted> {
    const { inline, drain, timeoutMs } = this.#parts
    const isWaitedFor = inline && options.tx === undefined && !isLater(options)
    if (!isWaitedFor || this.#outer.includes(submitted.id)) return { ...submitted, run: null }
    // One whose key was live already may be due at another time than this one.
    const run = await drain.settle(submitted.id, timeoutMs, submitted.created)
    return { ...submitted, run: run as FinishedRun | null }
  }
}

/** The payload as a handler gets it; what cannot be JSON is refused by `submit` itself. */
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
