/** Repeatable randomness: the same seed gives the same decisions on every machine. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to below 1 (mulberry32). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** An integer, both bounds included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('cannot pick from an empty list')
    return list[this.between(0, list.length - 1)] as T
  }

  shuffled<T>(list: readonly T[]): T[] {
    const order = [...list]
    for (let i = order.length - 1; i > 0; i--) {
      const j = this.between(0, i)
      const kept = order[i] as T
      order[i] = order[j] as T
      order[j] = kept
    }
    return order
  }

  /** An independent sequence, so that two users of one seed do not affect each other. */
  branch(salt: number): SeededRandom {
    return new SeededRandom((this.between(0, 0x7fffffff) ^ (salt * 0x9e3779b1)) >>> 0)
  }
}
