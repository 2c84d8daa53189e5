import { invariant } from '@punctual/core/errors'

/** Equal things, used in turn. */
export class Turns<T> {
  readonly all: readonly T[]
  #next = 0

  constructor(length: number, make: () => T) {
    this.all = Array.from({ length }, make)
  }

  next(): T {
    const member = this.all[this.#next]
    invariant(member, 'there is at least one')
    this.#next = (this.#next + 1) % this.all.length
    return member
  }
}
