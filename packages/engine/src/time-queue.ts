/** A priority queue by time: a binary heap in which equal times keep the order of insertion. */
export class TimeQueue<T> {
  readonly #heap: { atMs: number; n: number; item: T }[] = []
  #added = 0

  get nextMs(): number | null {
    return this.#heap[0]?.atMs ?? null
  }

  add(atMs: number, item: T): void {
    const heap = this.#heap
    let i = heap.push({ atMs, n: this.#added++, item }) - 1
    while (i > 0) {
      const up = (i - 1) >> 1
      if (!this.#isBefore(i, up)) break
      this.#swap(i, up)
      i = up
    }
  }

  /** Removes and returns the first item that is due at this instant; null when none is due. */
  take(nowMs: number): T | null {
    const heap = this.#heap
    const first = heap[0]
    if (!first || first.atMs > nowMs) return null
    const last = heap.pop() as { atMs: number; n: number; item: T }
    if (heap.length > 0) {
      heap[0] = last
      this.#sink()
    }
    return first.item
  }

  #sink(): void {
    for (let i = 0; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2]
      let least = i
      if (left < this.#heap.length && this.#isBefore(left, least)) least = left
      if (right < this.#heap.length && this.#isBefore(right, least)) least = right
      if (least === i) return
      this.#swap(i, least)
      i = least
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]] as [
      { atMs: number; n: number },
      { atMs: number; n: number },
    ]
    return x.atMs < y.atMs || (x.atMs === y.atMs && x.n < y.n)
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap
    const kept = heap[a] as (typeof heap)[number]
    heap[a] = heap[b] as (typeof heap)[number]
    heap[b] = kept
  }
}
