/** Seeded randomness: the same seed gives the same numbers. A fork has its own stream. */
import type { Random } from '@punctual/core/clock'

export class Chance implements Random {
  #a: number
  #b: number
  #c: number
  #d = 1

  constructor(seed: number, name = '') {
    let hash = 2_166_136_261
    for (const char of `${seed} ${name}`)
      hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619) >>> 0
    this.#a = seed >>> 0
    this.#b = Math.floor(seed / 4_294_967_296) >>> 0
    this.#c = hash
    for (let i = 0; i < 12; i++) this.#next()
  }

  /** The small fast counter of PractRand: 32 bits a step. */
  #next(): number {
    const sum = (this.#a + this.#b + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return sum >>> 0
  }

  fork(name: string): Chance {
    return new Chance(this.#next(), name)
  }

  fraction(): number {
    return this.#next() / 4_294_967_296
  }

  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.fraction() * items.length)] as T
  }

  token(): string {
    const token = (BigInt(this.#next() >>> 1) << 32n) | BigInt(this.#next())
    return (token || 1n).toString()
  }

  fill(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.#next() & 0xff
  }
}
