/**
 * Virtual time: a list of future events that happen one at a time. Before each event, everything
 * that can run without time passing has run. An event belongs to one machine or to none; events of
 * a paused machine wait for it, and events of a dead one never happen.
 */
import { TimeQueue } from '@punctual/engine'

/** The owner of events: a machine that can be paused or die. */
export interface Machine {
  readonly name: string
  alive: boolean
  /** The machine was asked to stop and has confirmed it. */
  stopped?: boolean
  /** None of its events happen before this time. */
  pausedUntilMs: number
}

interface Event {
  readonly machine: Machine | null
  happen: (() => void) | null
}

/** Turns of the event loop after each event: callbacks deferred by a turn run within them. */
const TURNS = 3

export class Timeline {
  readonly #queue = new TimeQueue<Event>()
  nowMs: number
  happened = 0

  constructor(startMs: number) {
    this.nowMs = startMs
  }

  /** Calls back after the delay; returns a function that cancels it. */
  after(ms: number, machine: Machine | null, happen: () => void): () => void {
    const event: Event = { machine, happen }
    this.#queue.add(this.nowMs + Math.max(0, ms), event)
    return () => {
      event.happen = null
    }
  }

  /** Runs events until that time, or until `stop` returns true. */
  async run(untilMs: number, stop: () => boolean): Promise<void> {
    await this.#quiet()
    while (!stop()) {
      const nextMs = this.#queue.nextMs
      if (nextMs === null || nextMs > untilMs) break
      this.nowMs = Math.max(this.nowMs, nextMs)
      const event = this.#queue.take(this.nowMs)
      if (event?.happen && this.#isDue(event)) {
        this.happened++
        event.happen()
        await this.#quiet()
      }
    }
    if (!stop()) this.nowMs = Math.max(this.nowMs, untilMs)
  }

  #isDue(event: Event): boolean {
    const { machine } = event
    if (machine === null) return true
    if (!machine.alive) return false
    if (machine.pausedUntilMs <= this.nowMs) return true
    this.#queue.add(machine.pausedUntilMs, event)
    return false
  }

  async #quiet(): Promise<void> {
    for (let i = 0; i < TURNS; i++) await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
