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

  /** Makes a calendar, or changes the one of this name. It holds for every slot that is not decided yet. */
  set(name: string, calendar: CalendarInput): Promise<void> {
    return this.#store.schedules.calendars.set(name, calendar, this.#tenantId)
  }

  /** All of them, by name. */
  list(): Promise<readonly { name: string; calendar: CalendarInput }[]> {
    return this.#store.schedules.calendars.list(this.#tenantId)
  }

  /**
   * False when there is none.
   * @throws `PunctualError` with `calendar_in_use` while jobs refer to it.
   */
  delete(name: string): Promise<boolean> {
    return this.#store.schedules.calendars.delete(name, this.#tenantId)
  }
}
