/** A tenant's calendars: named sets of dates and windows that jobs refer to. */
import { checkName } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import { type CalendarInput, parseCalendar } from '@punctual/core/schedule'
import type { Database } from '../connection/database.ts'

export class CalendarStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Creates or replaces a calendar. Slots that are already planned stay unchanged. */
  async set(name: string, calendar: CalendarInput, tenantId: number): Promise<void> {
    checkName('name', name)
    parseCalendar(calendar)
    const values = [tenantId, name, JSON.stringify(calendar)]
    await this.#database.control.query(
      this.#database.statement('calendars/upsert-calendar'),
      values,
    )
  }

  async list(tenantId: number): Promise<{ name: string; calendar: CalendarInput }[]> {
    const statement = this.#database.statement('calendars/list-calendars')
    const rows = await this.#database.control.query(statement, [tenantId])
    return rows.map(([name, spec]) => ({
      name: name as string,
      calendar: JSON.parse(spec as string),
    }))
  }

  /** False when no calendar has this name. */
  async delete(name: string, tenantId: number): Promise<boolean> {
    const statement = this.#database.statement('calendars/delete-calendar')
    const [row] = await this.#database.control.query(statement, [tenantId, name])
    const [existed, users] = row as readonly (string | null)[]
    if (existed === 't' && Number(users) > 0)
      throw new PunctualError(
        'calendar_in_use',
        `The calendar ${JSON.stringify(name)} is used by ${users} job(s). Change them first.`,
        { id: name },
      )
    return existed === 't'
  }
}
