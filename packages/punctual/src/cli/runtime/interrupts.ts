/**
 * SIGINT, SIGTERM and SIGHUP. The first signal requests a stop; a second one ends the process at
 * once. Signals within half a second of the first count as the same request: a terminal signals the
 * whole process group, and npm forwards its own signal too.
 */
const SAME_REQUEST_MS = 500
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export class Interrupts {
  readonly #controller = new AbortController()
  readonly #listener = (name: NodeJS.Signals) => this.#receive(name)
  #firstAtMs: number | null = null
  #onSecond: () => void = () => process.exit(130)
  #resolve: (name: NodeJS.Signals) => void = () => undefined

  /** Resolves with the name of the first signal. */
  readonly first = new Promise<NodeJS.Signals>((resolve) => {
    this.#resolve = resolve
  })

  constructor() {
    for (const name of signals) process.on(name, this.#listener)
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  onSecond(act: () => void): void {
    this.#onSecond = act
  }

  #receive(name: NodeJS.Signals): void {
    const nowMs = performance.now()
    if (this.#firstAtMs === null) {
      this.#firstAtMs = nowMs
      this.#controller.abort()
      this.#resolve(name)
    } else if (nowMs - this.#firstAtMs > SAME_REQUEST_MS) this.#onSecond()
  }

  dispose(): void {
    for (const name of signals) process.off(name, this.#listener)
  }
}
