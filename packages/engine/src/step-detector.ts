/**
 * Notices when the database's clock jumps ahead of time: slots would be planned that are not due for long.
 * A jump is one that the monotonic clock of this process did not see; it is believed when this machine's own
 * clock agrees with the database, as it does after a wrong clock was put right.
 */
import type { Clock } from '@punctual/core/clock'

const STEP_MS = 60_000

export class StepDetector {
  readonly #clock: Clock
  #lastMs: number | null = null
  #lastMonotonicMs = 0
  #suspicious = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** By how much the database is ahead of what can be believed; 0 when it is not. */
  aheadMs(databaseMs: number): number {
    const monotonicMs = this.#clock.monotonicMs()
    const passedMs = monotonicMs - this.#lastMonotonicMs
    const stepMs = this.#lastMs === null ? 0 : databaseMs - this.#lastMs - passedMs
    this.#lastMs = databaseMs
    this.#lastMonotonicMs = monotonicMs
    const aheadMs = databaseMs - this.#clock.wallMs()
    if (stepMs > STEP_MS) this.#suspicious = true
    if (aheadMs < STEP_MS) this.#suspicious = false
    return this.#suspicious ? aheadMs : 0
  }
}
