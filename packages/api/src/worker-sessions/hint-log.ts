/**
 * The recent hints, numbered, so that a worker that polls for hints misses none between two
 * requests. A cursor of another node, or one that is too old, is answered with "check everything".
 */
import type { Clock } from '@punctual/core/clock'
import type { WorkHint } from './ports.ts'

const KEPT_MAX = 1_000

/** A hint with its cancelled runs by the session that holds them. */
export type LoggedHint = Omit<WorkHint, 'cancels'> & {
  readonly cancels?: ReadonlyMap<string, readonly string[]>
}

export class HintLog {
  readonly #node: string
  readonly #clock: Clock
  #hints: LoggedHint[] = []
  /** The number of hints that were dropped before the first one in `#hints`. */
  #before = 0
  readonly #waiting = new Set<() => void>()

  constructor(node: string, clock: Clock) {
    this.#node = node
    this.#clock = clock
  }

  /** Whether any request waits for a hint. */
  get awaited(): boolean {
    return this.#waiting.size > 0
  }

  get cursor(): string {
    return `${this.#node}.${this.#before + this.#hints.length}`
  }

  add(hint: LoggedHint): void {
    this.#hints.push(hint)
    if (this.#hints.length > 2 * KEPT_MAX) {
      this.#before += KEPT_MAX
      this.#hints = this.#hints.slice(KEPT_MAX)
    }
    for (const wake of [...this.#waiting]) wake()
  }

  /** The hints after the cursor; null when the cursor is of another node or too old. */
  after(cursor: string | undefined): readonly LoggedHint[] | null {
    const [node, number] = cursor?.split('.') ?? []
    const from = Number(number) - this.#before
    if (node !== this.#node || !(from >= 0 && from <= this.#hints.length)) return null
    return this.#hints.slice(from)
  }

  async next(ms: number, signal: AbortSignal): Promise<void> {
    const waking = new AbortController()
    const wake = () => waking.abort()
    this.#waiting.add(wake)
    await this.#clock.sleep(ms, AbortSignal.any([waking.signal, signal]))
    this.#waiting.delete(wake)
  }
}
