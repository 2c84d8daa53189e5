/**
 * The running attempts. An attempt stores its index in the list, so that adding and deleting it is
 * cheap.
 */
export interface Placed {
  /** Maintained by the list; -1 when the item is in no list. */
  place: number
}

export class Running<T extends Placed> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    item.place = this.#items.push(item) - 1
  }

  /** Moves the last item into the freed place. */
  delete(item: T): void {
    if (item.place < 0) return
    const last = this.#items.pop() as T
    if (last !== item) {
      this.#items[item.place] = last
      last.place = item.place
    }
    item.place = -1
  }

  /** A copy of the current items: later changes do not affect it. */
  all(): readonly T[] {
    return [...this.#items]
  }
}
