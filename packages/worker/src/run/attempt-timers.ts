/**
 * The timers of an attempt: its timeout, the interval in which its handler must send heartbeats,
 * and the grace period after a timeout or a cancellation. They report to the attempt, which
 * decides what follows.
 */
import type { Clock } from '@punctual/core/clock'

/** How long a handler has to stop after the signal of its attempt was aborted. */
const GRACE_MS = { timed_out: 1_000, cancelled: 30_000 } as const
/** How long a handler whose heartbeat is overdue has to send one. */
const LAST_CHANCE_MS = 50

export interface TimedAttempt {
  /** The attempt took too long, or its handler sent no heartbeat in time. */
  onTimeout(message: string): void
  onGraceOver(): void
}

export class AttemptTimers {
  readonly #clock: Clock
  readonly #attempt: TimedAttempt
  /** Calls off the timeout or the grace period. */
  #timer: (() => void) | undefined
  /** Calls off the next check of the heartbeat. */
  #heartbeatTimer: (() => void) | undefined
  #heartbeatAtMs: number

  constructor(clock: Clock, attempt: TimedAttempt, startedAtMs: number) {
    this.#clock = clock
    this.#attempt = attempt
    this.#heartbeatAtMs = startedAtMs
  }

  /** Starts the timeout, of which `leftMs` are left, and the checks of heartbeats. */
  arm(timeoutMs: number, leftMs: number, heartbeatMs: number | undefined): void {
    if (this.#timer) return
    this.#timer = this.#clock.after(Math.max(0, leftMs), () =>
      this.#attempt.onTimeout(`The attempt took longer than ${timeoutMs} ms.`),
    )
    if (heartbeatMs !== undefined) this.#checkHeartbeat(heartbeatMs)
  }

  /** The handler sent a heartbeat. */
  heartbeat(): void {
    this.#heartbeatAtMs = this.#clock.monotonicMs()
  }

  /**
   * Checks the heartbeat when it would be overdue. A handler whose heartbeat is overdue has a last
   * chance: when another handler has blocked the event loop, its heartbeat waits in the queue.
   */
  #checkHeartbeat(heartbeatMs: number, last = false): void {
    const silentMs = this.#clock.monotonicMs() - this.#heartbeatAtMs
    const overdue = silentMs >= heartbeatMs
    if (overdue && last) {
      this.#attempt.onTimeout(`The handler sent no heartbeat for ${heartbeatMs} ms.`)
      return
    }
    const inMs = overdue ? LAST_CHANCE_MS : heartbeatMs - silentMs
    const check = () => this.#checkHeartbeat(heartbeatMs, overdue)
    this.#heartbeatTimer = this.#clock.after(inMs, check)
  }

  /** Starts a grace period in place of all other timers. */
  startGrace(after: keyof typeof GRACE_MS): void {
    this.stop()
    this.#timer = this.#clock.after(GRACE_MS[after], () => this.#attempt.onGraceOver())
  }

  stop(): void {
    this.#timer?.()
    this.#heartbeatTimer?.()
  }
}
