/**
 * Ctrl-C and its relatives. The first asks to end; a second one, meant as such, ends at once. Signals that
 * follow within a moment are the same wish: a terminal signals the whole group, and npm passes its own on.
 */
const SAME_WISH_MS = 500
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
    } else if (nowMs - this.#firstAtMs > SAME_WISH_MS) this.#onSecond()
  }

  dispose(): void {
    for (const name of signals) process.off(name, this.#listener)
  }
}
