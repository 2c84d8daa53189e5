/** The time zone of the lines of a crontab: CRON_TZ and TZ hold for those that follow, and CRON_TZ wins. */
import { PunctualError } from '@punctual/core/errors'
import { zoneOf } from '@punctual/core/schedule'

export class ZoneOfLines {
  readonly #otherwise: string
  readonly #named = new Map<'CRON_TZ' | 'TZ', { name: string | null; line: number }>()

  constructor(otherwise: string) {
    this.#otherwise = otherwise
  }

  get name(): string {
    return this.#current?.name ?? this.#otherwise
  }

  get #current() {
    return this.#named.get('CRON_TZ') ?? this.#named.get('TZ')
  }

  /** Why the zone cannot be taken; null when it can. */
  set(variable: 'CRON_TZ' | 'TZ', value: string, line: number): string | null {
    if (value === '') {
      this.#named.delete(variable)
      return null
    }
    try {
      // POSIX has a colon before names of the database.
      this.#named.set(variable, { name: zoneOf(value.replace(/^:/, '')).name, line })
      return null
    } catch (error) {
      if (!(error instanceof PunctualError)) throw error
      this.#named.set(variable, { name: null, line })
      return error.message
    }
  }

  /** A line must not be taken in another zone than the one that was meant. */
  need(): string {
    const current = this.#current
    if (!current) return this.#otherwise
    if (current.name !== null) return current.name
    throw new PunctualError(
      'invalid_timezone',
      `The time zone that line ${current.line} names is not known.`,
    )
  }
}
