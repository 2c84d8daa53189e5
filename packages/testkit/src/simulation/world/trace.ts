/** The events in order, and a hash over them: the same seed gives the same trace. */
const KEPT = 400

export class Trace {
  readonly #last: string[] = []
  #low = 0xdeadbeef
  #high = 0x41c6ce57

  note(nowMs: number, line: string): void {
    const text = `${nowMs.toFixed(3)} ${line}`
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      this.#low = Math.imul(this.#low ^ code, 2_654_435_761)
      this.#high = Math.imul(this.#high ^ code, 1_597_334_677)
    }
    this.#last.push(text)
    if (this.#last.length > 2 * KEPT) this.#last.splice(0, KEPT)
  }

  get hash(): string {
    const hex = (n: number) => (n >>> 0).toString(16).padStart(8, '0')
    return hex(this.#low) + hex(this.#high)
  }

  get last(): readonly string[] {
    return this.#last.slice(-KEPT)
  }
}
