/**
 * Bytes on their way in one direction: each piece arrives after its latency, and none before the one ahead of it, also
 * while the latency changes. One timer for all of them: timers that end at one moment run in no certain order, and
 * bytes out of order are what no network does.
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
