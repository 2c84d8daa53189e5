/**
 * The thread that keeps a session alive: the product's own loop on the clocks of a simulated
 * machine.
 */
import type { Clock } from '@punctual/core/clock'
import type { Heartbeat, HeartbeatEvents } from '@punctual/core/ports'
import type { MemoryWorkStore } from '@punctual/store/memory'

/** As a share of the lease: handlers that must not outlive it have the rest to stop. */
const EXPIRING_AT = 0.9

export class SimHeartbeat implements Heartbeat {
  readonly #work: MemoryWorkStore
  readonly #clock: Clock

  constructor(work: MemoryWorkStore, clock: Clock) {
    this.#work = work
    this.#clock = clock
  }

  start(sessionId: string, leaseMs: number, events: HeartbeatEvents) {
    const stopping = new AbortController()
    const beating = this.#beat(sessionId, Math.floor(leaseMs / 3), events, stopping.signal)
    return {
      stop: async () => {
        stopping.abort()
        await beating
      },
    }
  }

  async #beat(id: string, renewMs: number, events: HeartbeatEvents, signal: AbortSignal) {
    const expiry = new Expiry(this.#clock, renewMs * 3, events)
    while (!signal.aborted) {
      let pauseMs = renewMs
      try {
        const sentAtMs = this.#clock.monotonicMs()
        const renewed = await this.#withTimeout(
          this.#work.renewSession(id),
          Math.min(5_000, renewMs),
        )
        if (signal.aborted) break
        if (!renewed) {
          events.onLost()
          break
        }
        expiry.from(sentAtMs)
        events.onRenewed(renewed.drains)
      } catch (error) {
        events.onFailing((error as Error).message)
        pauseMs = Math.min(1_000, renewMs)
      }
      await this.#clock.sleep(pauseMs, signal)
    }
    expiry.stop()
  }

  /** After the timeout the connection counts as lost. */
  #withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const callOff = this.#clock.after(ms, () => reject(new Error('Query read timeout')))
      work.then(resolve, reject).finally(callOff)
    })
  }
}

/** Warns before the lease expires by the machine's clock, counted from the renewal request. */
class Expiry {
  readonly #clock: Clock
  readonly #leaseMs: number
  readonly #events: HeartbeatEvents
  #callOff = () => {}

  constructor(clock: Clock, leaseMs: number, events: HeartbeatEvents) {
    this.#clock = clock
    this.#leaseMs = leaseMs
    this.#events = events
    this.from(clock.monotonicMs())
  }

  from(renewedAtMs: number): void {
    this.stop()
    const leftMs = renewedAtMs + this.#leaseMs * EXPIRING_AT - this.#clock.monotonicMs()
    this.#callOff = this.#clock.after(Math.max(0, leftMs), () => this.#events.onExpiring())
  }

  stop(): void {
    this.#callOff()
  }
}
