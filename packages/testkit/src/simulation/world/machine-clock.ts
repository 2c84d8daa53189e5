/**
 * The clocks of one machine: its wall clock may be wrong and may step, its monotonic clock only
 * advances.
 */
import type { Clock } from '@punctual/core/clock'
import type { Machine, Timeline } from './timeline.ts'

export class MachineClock implements Clock {
  readonly #timeline: Timeline
  readonly #machine: Machine
  readonly #bootedMs: number
  /** The error of the wall clock. */
  skewMs: number
  /** The rate of the machine's own time. */
  readonly #rate: number

  constructor(timeline: Timeline, machine: Machine, skewMs: number, rate = 1) {
    this.#rate = rate
    this.#timeline = timeline
    this.#machine = machine
    this.#bootedMs = timeline.nowMs
    this.skewMs = skewMs
  }

  wallMs(): number {
    return this.#timeline.nowMs + this.skewMs
  }

  monotonicMs(): number {
    return (this.#timeline.nowMs - this.#bootedMs) * this.#rate
  }

  /** Like Node's timers: integer milliseconds, at least one. */
  after(ms: number, call: () => void): () => void {
    return this.#timeline.after(Math.max(1, Math.trunc(ms)) / this.#rate, this.#machine, call)
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      if (!signal) {
        this.after(ms, resolve)
        return
      }
      const wake = () => {
        callOff()
        signal.removeEventListener('abort', wake)
        resolve()
      }
      const callOff = this.after(ms, wake)
      signal.addEventListener('abort', wake)
    })
  }
}
