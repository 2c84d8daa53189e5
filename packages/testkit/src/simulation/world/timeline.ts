/**
 * Virtual time: what is to happen is a list by time, and one thing happens after the other. Before the next one
 * everything that can go on without time passing has gone on. An event belongs to a machine or to none; those of a
 * machine that is stopped wait for it, and those of one that has died never happen.
 */
import { TimeQueue } from '@punctual/engine'

/** Whoever has events: a machine that can be paused or die. */
export interface Machine {
  readonly name: string
  alive: boolean
  /** It has been told to stop, and has said that it has. */
  stopped?: boolean
  /** Nothing of it happens before this. */
  pausedUntilMs: number
}

interface Event {
  readonly machine: Machine | null
  happen: (() => void) | null
}

/** Rounds of the event loop after each event: what is put off by a turn of the loop is done within them. */
const TURNS = 3

export class Timeline {
  readonly #queue = new TimeQueue<Event>()
  nowMs: number
  happened = 0

  constructor(startMs: number) {
    this.nowMs = startMs
  }

  /** Calls back after so long; returns how to call it off. */
  after(ms: number, machine: Machine | null, happen: () => void): () => void {
    const event: Event = { machine, happen }
    this.#queue.add(this.nowMs + Math.max(0, ms), event)
    return () => {
      event.happen = null
    }
  }

  /** Lets time pass until then, or until `stop` says so. */
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
