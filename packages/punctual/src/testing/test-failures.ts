/**
 * Collects the errors that handlers throw in a test: usually nothing awaits a run, so they would go
 * unnoticed.
 */
import type { Middleware } from '../handlers/middleware.ts'

/** An error that a handler threw. */
export interface TestFailure {
  /** The name of the handler. */
  readonly handler: string
  /** The id of the run. */
  readonly runId: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The thrown value itself, with its class and stack. */
  readonly error: unknown
}

const SHOWN_MAX = 5

export class TestFailures implements Middleware {
  readonly #print: boolean
  #errors: TestFailure[] = []

  constructor(print: boolean) {
    this.#print = print
  }

  get all(): readonly TestFailure[] {
    return this.#errors
  }

  clear(): void {
    this.#errors = []
  }

  async around(
    { handler, context }: Parameters<Middleware['around']>[0],
    next: () => Promise<unknown>,
  ): Promise<unknown> {
    try {
      return await next()
    } catch (error) {
      const { runId, attempt, maxAttempts } = context
      this.#errors.push({ handler, runId, attempt, error })
      if (this.#print)
        console.error(`punctual: attempt ${attempt} of ${maxAttempts} of ${handler} failed:`, error)
      throw error
    }
  }

  /** The latest errors, for the message of another failure; empty when there are none. */
  describe(): string {
    const latest = this.#errors.slice(-SHOWN_MAX)
    if (latest.length === 0) return ''
    const lines = latest.map(
      ({ handler, attempt, error }) => `- ${handler}, attempt ${attempt}: ${String(error)}`,
    )
    return `\nHandlers have failed ${this.#errors.length} times; the latest:\n${lines.join('\n')}`
  }
}
