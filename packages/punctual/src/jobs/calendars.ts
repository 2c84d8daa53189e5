/** `punctual.jobs.calendars`: named sets of dates and windows that jobs refer to. */
import type { CalendarInput } from '@punctual/core/schedule'
import type { PostgresStore } from '@punctual/store'
import type { ControlWrites, WriteScope } from '../audit/control-writes.ts'

const target = (name: string) => ({ kind: 'calendar', id: null, name })

/** `punctual.jobs.calendars`: named sets of dates and windows that jobs refer to. */
export class Calendars {
  readonly #store: PostgresStore
  readonly #writes: ControlWrites
  readonly #tenantId: number

  /** @internal */
  constructor({ store, writes, tenantId }: WriteScope) {
    this.#store = store
    this.#writes = writes
    this.#tenantId = tenantId
  }

  /**
   * Creates or replaces the calendar with this name. It applies to every slot that is not decided
   * yet.
   * @throws `PunctualError` with `invalid_calendar`, or with `quota_exceeded` when the tenant has
   * 1,000 calendars.
   */
  async set(name: string, calendar: CalendarInput): Promise<void> {
    await this.#writes.record(this.#tenantId, async () => {
      const before = await this.get(name)
      await this.#store.schedules.calendars.set(name, calendar, this.#tenantId)
      const entry = { action: 'calendar.set', target: target(name), before, after: calendar }
      const unchanged = JSON.stringify(before) === JSON.stringify(calendar)
      return { result: undefined, entries: unchanged ? [] : [entry] }
    })
  }

  /** All calendars, sorted by name. */
  async list(): Promise<readonly { name: string; calendar: CalendarInput }[]> {
    const all: { name: string; calendar: CalendarInput }[] = []
    for await (const calendar of this.#store.schedules.calendars.all(this.#tenantId))
      all.push(calendar)
    return all
  }

  /** The calendar with this name, or null when there is none. */
  get(name: string): Promise<CalendarInput | null> {
    return this.#store.schedules.calendars.find(name, this.#tenantId)
  }

  /**
   * A page of calendars, sorted by name: up to 8 MiB of them after a name, and the name to continue
   * after, which is null after the last page.
   */
  page(after = ''): Promise<{
    readonly calendars: readonly { name: string; calendar: CalendarInput }[]
    readonly next: string | null
  }> {
    return this.#store.schedules.calendars.page(after, this.#tenantId)
  }

  /**
   * Deletes a calendar; false when no calendar has this name.
   * @throws `PunctualError` with `calendar_in_use` while jobs refer to it.
   */
  async delete(name: string): Promise<boolean> {
    return this.#writes.record(this.#tenantId, async () => {
      const before = await this.get(name)
      const result = await this.#store.schedules.calendars.delete(name, this.#tenantId)
      const entry = { action: 'calendar.delete', target: target(name), before }
      return { result, entries: result ? [entry] : [] }
    })
  }
}
