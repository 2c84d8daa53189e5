/** A tenant's calendars: named sets of dates and windows that jobs refer to. */
import { checkName } from '@punctual/core/check'
import { invariant, limits, PunctualError } from '@punctual/core/errors'
import { type CalendarInput, parseCalendar } from '@punctual/core/schedule'
import type { Database } from '../connection/database.ts'
import { deleteCalendar, findCalendar, listCalendars, upsertCalendar } from './statements.gen.ts'

/** A page of calendars by name. */
export interface PageOfCalendars {
  readonly calendars: readonly NamedCalendar[]
  /** The name to continue after; null after the last page. */
  readonly next: string | null
}

/** A calendar and its name. */
export interface NamedCalendar {
  readonly name: string
  readonly calendar: CalendarInput
}

export class CalendarStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Creates or replaces a calendar. Slots that are already planned stay unchanged.
   * @throws `invalid_calendar` for a calendar that is too large, and `quota_exceeded`
   */
  async set(name: string, calendar: CalendarInput, tenantId: number): Promise<void> {
    checkName('name', name)
    parseCalendar(calendar)
    const spec = JSON.stringify(calendar)
    const bytes = Buffer.byteLength(spec)
    if (bytes > limits.calendarBytes)
      throw new PunctualError(
        'invalid_calendar',
        `A calendar has up to ${limits.calendarBytes} bytes of JSON; got ${bytes}. Merge its dates into ranges, or divide it into several calendars.`,
        { field: 'calendar' },
      )
    const limit = limits.calendarsPerTenant
    const call = upsertCalendar(tenantId, name, spec, limit)
    const [row] = await this.#database.control.run(call)
    if (!row)
      throw new PunctualError(
        'quota_exceeded',
        `This tenant already has ${limit} calendars, the limit. Delete one that no job refers to.`,
        { quota: { name: 'calendars', limit, used: limit } },
      )
  }

  /** Null when no calendar has this name. */
  async find(name: string, tenantId: number): Promise<CalendarInput | null> {
    const [row] = await this.#database.control.run(findCalendar(tenantId, name))
    return row?.spec ?? null
  }

  /** The calendars after a name, as many as fit into `limits.pageBytes`. */
  async page(after: string, tenantId: number): Promise<PageOfCalendars> {
    const rows = await this.#database.control.run(listCalendars(tenantId, after, limits.pageBytes))
    const calendars = rows.map(({ name, spec }) => ({ name, calendar: spec }))
    const last = rows.at(-1)
    return { calendars, next: last?.more ? last.name : null }
  }

  /** All calendars by name, read page by page. */
  async *all(tenantId: number): AsyncGenerator<NamedCalendar> {
    for (let after: string | null = ''; after !== null; ) {
      const page: PageOfCalendars = await this.page(after, tenantId)
      yield* page.calendars
      after = page.next
    }
  }

  /** False when no calendar has this name. */
  async delete(name: string, tenantId: number): Promise<boolean> {
    const [row] = await this.#database.control.run(deleteCalendar(tenantId, name))
    invariant(row, 'a statement that deletes a calendar returns one row')
    if (row.existed && row.users > 0)
      throw new PunctualError(
        'calendar_in_use',
        `The calendar ${JSON.stringify(name)} is used by ${row.users} job(s). Change them first.`,
        { id: name },
      )
    return row.existed
  }
}
