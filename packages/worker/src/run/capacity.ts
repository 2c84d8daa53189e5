/** Counts held and running runs, for the whole worker and for each queue with its own limit. */
export interface CapacityOptions {
  readonly concurrency: number
  /** How many runs may run at the same time, when that changes. */
  readonly allowed?: () => number
  readonly queueConcurrency: Readonly<Record<string, number>>
}

export class Capacity {
  readonly #options: CapacityOptions
  readonly #held = new Map<string, number>()
  readonly #anyCapped: boolean
  #running = 0
  #total = 0

  constructor(options: CapacityOptions) {
    this.#options = options
    this.#anyCapped = Object.keys(options.queueConcurrency).length > 0
  }

  get running(): number {
    return this.#running
  }

  /** Runs claimed and not yet returned, started or not. */
  get held(): number {
    return this.#total
  }

  get buffered(): number {
    return this.#total - this.#running
  }

  get free(): number {
    return (this.#options.allowed?.() ?? this.#options.concurrency) - this.#running
  }

  /** True when no more may be claimed than can start at once. */
  get exact(): boolean {
    return this.#options.allowed !== undefined
  }

  /** How many more runs of a limited queue may be held; null when the queue has no limit. */
  room(queue: string): number | null {
    const cap = this.#options.queueConcurrency[queue]
    return cap === undefined ? null : Math.max(0, cap - (this.#held.get(queue) ?? 0))
  }

  hold(queue: string): void {
    this.#total++
    if (this.#anyCapped && queue in this.#options.queueConcurrency)
      this.#held.set(queue, (this.#held.get(queue) ?? 0) + 1)
  }

  start(): void {
    this.#running++
  }

  release(queue: string, started: boolean): void {
    this.#total--
    if (started) this.#running--
    if (this.#anyCapped && queue in this.#options.queueConcurrency)
      this.#held.set(queue, (this.#held.get(queue) ?? 1) - 1)
  }
}
