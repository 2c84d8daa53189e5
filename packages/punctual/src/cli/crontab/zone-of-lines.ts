/**
 * The time zone of crontab lines: CRON_TZ and TZ apply to the lines that follow, and CRON_TZ wins.
 */
import { PunctualError } from '@punctual/core/errors'
import { zoneOf } from '@punctual/core/schedule'

export class ZoneOfLines {
  readonly #fallback: string
  readonly #named = new Map<'CRON_TZ' | 'TZ', { name: string | null; line: number }>()

  constructor(fallback: string) {
    this.#fallback = fallback
  }

  get name(): string {
    return this.#current?.name ?? this.#fallback
  }

  get #current() {
    return this.#named.get('CRON_TZ') ?? this.#named.get('TZ')
  }

  /** Sets a variable; returns why the zone is refused, or null. */
  set(variable: 'CRON_TZ' | 'TZ', value: string, line: number): string | null {
    if (value === '') {
      this.#named.delete(variable)
      return null
    }
    try {
      // POSIX puts a colon before names of the time zone database.
      this.#named.set(variable, { name: zoneOf(value.replace(/^:/, '')).name, line })
      return null
    } catch (error) {
      if (!(error instanceof PunctualError)) throw error
      this.#named.set(variable, { name: null, line })
      return error.message
    }
  }

  /** Throws after an unknown zone: a line must not be imported in a zone that was not intended. */
  need(): string {
    const current = this.#current
    if (!current) return this.#fallback
    if (current.name !== null) return current.name
    throw new PunctualError(
      'invalid_timezone',
      `The time zone set in line ${current.line} is unknown.`,
    )
  }
}
