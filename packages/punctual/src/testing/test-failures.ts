/** What handlers have thrown in a test: nothing waits for a run, so that its error would be seen by nobody. */
import type { Middleware } from '../handlers/middleware.ts'

/** What a handler has thrown. */
export interface TestFailure {
  /** The name of the handler. */
  readonly handler: string
  /** The run that it was called for. */
  readonly runId: string
  /** 1 for the first attempt. */
  readonly attempt: number
  /** As it was thrown: its class and its stack are those of the handler. */
  readonly error: unknown
}

const SHOWN_MAX = 5

export class TestFailures implements Middleware {
  readonly #print: boolean
  #kept: TestFailure[] = []

  constructor(print: boolean) {
    this.#print = print
  }

  get all(): readonly TestFailure[] {
    return this.#kept
  }

  clear(): void {
    this.#kept = []
  }

  async around(
    { handler, context }: Parameters<Middleware['around']>[0],
    next: () => Promise<unknown>,
  ): Promise<unknown> {
    try {
      return await next()
    } catch (error) {
      const { runId, attempt, maxAttempts } = context
      this.#kept.push({ handler, runId, attempt, error })
      if (this.#print)
        console.error(`punctual: attempt ${attempt} of ${maxAttempts} of ${handler} failed:`, error)
      throw error
    }
  }

  /** The latest of them, for the message of something else that went wrong; empty when there are none. */
  describe(): string {
    const latest = this.#kept.slice(-SHOWN_MAX)
    if (latest.length === 0) return ''
    const lines = latest.map(
      ({ handler, attempt, error }) => `- ${handler}, attempt ${attempt}: ${String(error)}`,
    )
    return `\nHandlers have failed ${this.#kept.length} times, at last:\n${lines.join('\n')}`
  }
}
