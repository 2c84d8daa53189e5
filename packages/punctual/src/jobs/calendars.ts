/** `punctual.jobs.calendars`: named sets of dates and windows that jobs refer to. */
import type { CalendarInput } from '@punctual/core/schedule'
import type { PostgresStore } from '@punctual/store'

/** `punctual.jobs.calendars`: named sets of dates and windows that jobs refer to. */
export class Calendars {
  readonly #store: PostgresStore
  readonly #tenantId: number

  /** @internal */
  constructor(store: PostgresStore, tenantId: number) {
    this.#store = store
    this.#tenantId = tenantId
  }

  /**
   * Creates or replaces the calendar with this name. It applies to every slot that is not decided
   * yet.
   */
  set(name: string, calendar: CalendarInput): Promise<void> {
    return this.#store.schedules.calendars.set(name, calendar, this.#tenantId)
  }

  /** All calendars, sorted by name. */
  list(): Promise<readonly { name: string; calendar: CalendarInput }[]> {
    return this.#store.schedules.calendars.list(this.#tenantId)
  }

  /**
   * Deletes a calendar; false when no calendar has this name.
   * @throws `PunctualError` with `calendar_in_use` while jobs refer to it.
   */
  delete(name: string): Promise<boolean> {
    return this.#store.schedules.calendars.delete(name, this.#tenantId)
  }
}
