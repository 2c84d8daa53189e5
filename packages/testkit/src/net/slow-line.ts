/**
 * Bytes travelling in one direction: each piece arrives after its latency and never before the one
 * ahead of it, even if the latency changes. One timer serves all of them: timers with the same
 * deadline fire in no guaranteed order, and no network reorders the bytes of a connection.
 */
export class SlowLine {
  readonly #arrive: (bytes: Buffer) => void
  readonly #pieces: { readonly bytes: Buffer; readonly atMs: number }[] = []

  constructor(arrive: (bytes: Buffer) => void) {
    this.#arrive = arrive
  }

  send(bytes: Buffer, latencyMs: number): void {
    if (latencyMs === 0 && this.#pieces.length === 0) {
      this.#arrive(bytes)
      return
    }
    this.#pieces.push({ bytes, atMs: performance.now() + latencyMs })
    if (this.#pieces.length === 1) this.#wait()
  }

  #wait(): void {
    const [first] = this.#pieces
    if (first) setTimeout(() => this.#deliver(), Math.max(0, first.atMs - performance.now()))
  }

  #deliver(): void {
    const nowMs = performance.now() + 1
    for (let next = this.#pieces[0]; next && next.atMs <= nowMs; next = this.#pieces[0]) {
      this.#pieces.shift()
      this.#arrive(next.bytes)
    }
    this.#wait()
  }
}
