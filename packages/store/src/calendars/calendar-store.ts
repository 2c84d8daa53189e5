/** A tenant's calendars: named sets of dates and windows that jobs refer to. */
import { checkName } from '@punctual/core/check'
import { invariant, PunctualError } from '@punctual/core/errors'
import { type CalendarInput, parseCalendar } from '@punctual/core/schedule'
import type { Database } from '../connection/database.ts'
import { deleteCalendar, listCalendars, upsertCalendar } from './statements.gen.ts'

export class CalendarStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Creates or replaces a calendar. Slots that are already planned stay unchanged. */
  async set(name: string, calendar: CalendarInput, tenantId: number): Promise<void> {
    checkName('name', name)
    parseCalendar(calendar)
    await this.#database.control.run(upsertCalendar(tenantId, name, JSON.stringify(calendar)))
  }

  async list(tenantId: number): Promise<{ name: string; calendar: CalendarInput }[]> {
    const rows = await this.#database.control.run(listCalendars(tenantId))
    return rows.map(({ name, spec }) => ({ name, calendar: spec }))
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
