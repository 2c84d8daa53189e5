/**
 * Notices when the database's clock jumps ahead: the planner would plan slots that are not due for
 * a long time. A jump is a change that this process's monotonic clock did not measure. It is
 * accepted when this machine's wall clock agrees with the database, as it does after a wrong clock
 * was corrected.
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

  /** How far the database's clock is ahead of the plausible time; 0 when it is plausible. */
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
