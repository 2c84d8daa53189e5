/** A list that is read page by page, as far as it is used. */

export interface ListingParts<Item, Page> {
  /** Reads the page that a cursor names, or the first. */
  read(cursor: string | undefined): Promise<Page>
  itemsOf(page: Page): readonly Item[]
  nextOf(page: Page): string | null
}

/** `for await (const item of listing)` reads all items; `page()` reads only the first page. */
export class Listing<Item, Page> implements AsyncIterable<Item> {
  readonly #parts: ListingParts<Item, Page>

  constructor(parts: ListingParts<Item, Page>) {
    this.#parts = parts
  }

  /** The first page, with its totals and the cursor of the next. */
  page(): Promise<Page> {
    return this.#parts.read(undefined)
  }

  async *pages(): AsyncGenerator<Page, void, undefined> {
    let cursor: string | undefined
    for (;;) {
      const page = await this.#parts.read(cursor)
      yield page
      const next = this.#parts.nextOf(page)
      if (next === null) return
      if (next === cursor)
        throw new Error('The list does not advance: a page names itself as the next page.')
      cursor = next
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#parts.itemsOf(page)
  }

  /** All items, or the first `max`. */
  async all(max: number = Number.POSITIVE_INFINITY): Promise<Item[]> {
    const items: Item[] = []
    if (max <= 0) return items
    for await (const item of this) if (items.push(item) >= max) break
    return items
  }
}
