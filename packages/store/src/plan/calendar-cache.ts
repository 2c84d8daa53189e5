/**
 * The calendars that planners apply, by name. Every read asks for the current version and loads only
 * calendars that have changed since the last read, so that a tenant's other calendars cost nothing.
 * The cache holds a bounded number of bytes, the ones that were used last.
 */
import type { TenantCalendars } from '@punctual/core/ports'
import { type Calendar, parseCalendar } from '@punctual/core/schedule'
import { int4Array, int8ArrayOfNumbers, textArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { listCalendars } from './statements.gen.ts'

/** The stored bytes of all cached calendars; parsed, they take a small multiple. */
const CACHED_BYTES = 8_388_608
/** The calendars of one statement, which bounds the bytes of its answer. */
const READ_AT_ONCE = 64

interface Cached {
  readonly version: number
  readonly madeUs: number
  readonly calendar: Calendar
  readonly bytes: number
}

interface Named {
  readonly key: string
  readonly tenantId: number
  readonly name: string
}

export class CalendarCache {
  readonly #database: Database
  readonly #cachedBytes: number
  /** The one that was used last is at the end. */
  readonly #cached = new Map<string, Cached>()
  #bytes = 0

  constructor(database: Database, cachedBytes: number = CACHED_BYTES) {
    this.#database = database
    this.#cachedBytes = cachedBytes
  }

  /** Returns the current calendars with these names, by tenant; missing ones are left out. */
  async read(
    names: ReadonlyMap<number, ReadonlySet<string>>,
  ): Promise<ReadonlyMap<number, TenantCalendars>> {
    const named = [...names].flatMap(([tenantId, own]) =>
      [...own].map((name): Named => ({ key: `${tenantId} ${name}`, tenantId, name })),
    )
    const found = new Map<number, { of: Map<string, Calendar>; versions: Map<string, number> }>()
    for (let i = 0; i < named.length; i += READ_AT_ONCE)
      for (const [{ tenantId, name }, { calendar, version }] of await this.#read(
        named.slice(i, i + READ_AT_ONCE),
      )) {
        const known = found.get(tenantId) ?? { of: new Map(), versions: new Map() }
        known.of.set(name, calendar)
        known.versions.set(name, version)
        found.set(tenantId, known)
      }
    return found
  }

  async #read(named: readonly Named[]): Promise<[Named, Cached][]> {
    const known = new Map(named.map(({ key }) => [key, this.#cached.get(key)]))
    const call = listCalendars(
      int4Array(named.map(({ tenantId }) => tenantId)),
      textArray(named.map(({ name }) => name)),
      int4Array(named.map(({ key }) => known.get(key)?.version ?? 0)),
      int8ArrayOfNumbers(named.map(({ key }) => known.get(key)?.madeUs ?? 0)),
    )
    const rows = await this.#database.upkeep.runPinned(call)
    return rows.flatMap(({ tenantId, name, version, madeUs, spec }): [Named, Cached][] => {
      const key = `${tenantId} ${name}`
      const calendar = spec === null ? known.get(key)?.calendar : parseCalendar(JSON.parse(spec))
      if (!calendar) return []
      const bytes = spec?.length ?? known.get(key)?.bytes ?? 0
      const current = { version, madeUs, calendar, bytes }
      this.#keep(key, current)
      return [[{ key, tenantId, name }, current]]
    })
  }

  #keep(key: string, calendar: Cached): void {
    this.#drop(key)
    this.#cached.set(key, calendar)
    this.#bytes += calendar.bytes
    for (const oldest of this.#cached.keys()) {
      if (this.#bytes <= this.#cachedBytes) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#cached.get(key)?.bytes ?? 0
    this.#cached.delete(key)
  }
}
