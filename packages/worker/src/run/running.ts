/** What runs now. An attempt knows its place in the list, so that putting it in and taking it out is cheap. */
export interface Placed {
  /** Kept by the list; -1 when the item is in none. */
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

  /** The last one moves to the place that comes free. */
  delete(item: T): void {
    if (item.place < 0) return
    const last = this.#items.pop() as T
    if (last !== item) {
      this.#items[item.place] = last
      last.place = item.place
    }
    item.place = -1
  }

  /** As they are now: what is added or taken out meanwhile does not matter. */
  all(): readonly T[] {
    return [...this.#items]
  }
}
