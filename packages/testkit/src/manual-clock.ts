/** A clock that only moves when a test moves it; sleepers wake in the order of their deadlines. */
import type { Clock } from '@punctual/core/clock'

export class ManualClock implements Clock {
  #nowMs = 0
  readonly #startMs: number
  #sleepers: { atMs: number; wake: () => void }[] = []

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#startMs = startMs
  }

  wallMs(): number {
    return this.#startMs + this.#nowMs
  }

  monotonicMs(): number {
    return this.#nowMs
  }

  after(ms: number, call: () => void): () => void {
    const callOff = () => {
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
    }
    const wake = () => {
      callOff()
      call()
    }
    const sleeper = { atMs: this.#nowMs + Math.max(0, ms), wake }
    this.#sleepers.push(sleeper)
    return callOff
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const wake = () => {
        callOff()
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const callOff = this.after(ms, wake)
      signal?.addEventListener('abort', wake)
    })
  }

  get sleeping(): number {
    return this.#sleepers.length
  }

  /** Moves time forward, wakes each sleeper at its deadline and lets what follows run. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    for (;;) {
      await settle()
      const next = this.#sleepers.toSorted((a, b) => a.atMs - b.atMs)[0]
      if (!next || next.atMs > endMs) break
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.wake()
    }
    this.#nowMs = endMs
    await settle()
  }
}

/** Runs every promise that can proceed. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}
