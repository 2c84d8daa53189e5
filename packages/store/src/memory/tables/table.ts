/**
 * A table in memory that first writes its changes to a journal, so that a transaction can be rolled
 * back and commits that a fail-over loses can be undone. Rows are values: a change is a new row.
 */

export interface Change {
  readonly table: string
  readonly key: string
  readonly before: unknown
  readonly after: unknown
  undo(): void
}

export class Journal {
  changes: Change[] = []

  /** Undoes every change since the journal was last taken. */
  rollBack(): void {
    for (const change of this.changes.reverse()) change.undo()
    this.changes = []
  }

  take(): Change[] {
    const taken = this.changes
    this.changes = []
    return taken
  }
}

/** PostgreSQL's error for a second row under one key. */
class UniqueViolation extends Error {
  readonly code = '23505'

  constructor(table: string, key: string) {
    super(`duplicate key ${key} in ${table}`)
  }
}

export class Table<Row> {
  readonly name: string
  readonly #journal: Journal
  readonly #rows = new Map<string, Row>()

  constructor(name: string, journal: Journal) {
    this.name = name
    this.#journal = journal
  }

  get size(): number {
    return this.#rows.size
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  has(key: string): boolean {
    return this.#rows.has(key)
  }

  values(): Row[] {
    return [...this.#rows.values()]
  }

  entries(): [string, Row][] {
    return [...this.#rows.entries()]
  }

  /** Throws for an existing key, as a primary key does. */
  insert(key: string, row: Row): void {
    if (this.#rows.has(key)) throw new UniqueViolation(this.name, key)
    this.set(key, row)
  }

  set(key: string, row: Row): void {
    const before = this.#rows.get(key)
    this.#note(key, before, row)
    this.#rows.set(key, row)
  }

  /** Removes and returns a row; undefined when the key does not exist. */
  delete(key: string): Row | undefined {
    const before = this.#rows.get(key)
    if (before === undefined) return undefined
    this.#note(key, before, undefined)
    this.#rows.delete(key)
    return before
  }

  #note(key: string, before: Row | undefined, after: Row | undefined): void {
    const undo = () => {
      if (before === undefined) this.#rows.delete(key)
      else this.#rows.set(key, before)
    }
    this.#journal.changes.push({ table: this.name, key, before, after, undo })
  }
}
