/**
 * Looks for what has ended anywhere in the fleet, about once a second, and only while somebody listens. Each kind is
 * read from where somebody began to listen to it, in the order of its time; a look that fails is made again.
 */
import type { Clock } from '@punctual/core/clock'
import { EndsCursor, type EndsReader } from '@punctual/store'
import { TENANT } from '../tenants/tenant.ts'
import type { ActivityType } from './event-types.ts'
import { type FleetEvent, type FleetSource, fleetSources, inOrder } from './fleet-sources.ts'

const POLL_MS = 1_000
/** However much ends here, there are no more looks than one in this time. */
const SPACING_MS = 100
/** What this process thinks the time of the database is may be wrong by so much. */
const CLOCK_ERROR_MS = 100

export interface FleetWatchOptions {
  readonly ends: EndsReader
  readonly clock: Clock
  /** By the database's clock. */
  readonly nowMs: () => number
  readonly onEvent: (event: FleetEvent) => void
  readonly onError: (error: unknown) => void
}

export class FleetWatch {
  readonly #options: FleetWatchOptions
  readonly #cursors = new Map<FleetSource, EndsCursor>()
  #resting = new AbortController()
  #loop: Promise<void> | null = null

  constructor(options: FleetWatchOptions) {
    this.#options = options
  }

  /** These are listened to from now on. */
  want(types: ReadonlySet<ActivityType>): void {
    for (const source of fleetSources) {
      const wanted = source.of.some((type) => types.has(type))
      if (!wanted) this.#cursors.delete(source)
      else if (!this.#cursors.has(source))
        this.#cursors.set(source, new EndsCursor(this.#options.nowMs() - CLOCK_ERROR_MS))
    }
    if (this.#cursors.size === 0) this.#resting.abort()
    else this.#loop ??= this.#run()
  }

  /** Something has ended here: it need not wait for the next look. */
  hint(): void {
    this.#resting.abort()
  }

  async #run(): Promise<void> {
    // Those who begin to listen together are looked for together.
    await Promise.resolve()
    while (this.#cursors.size > 0) {
      this.#resting = new AbortController()
      await this.#look()
      if (this.#cursors.size === 0) break
      await this.#options.clock.sleep(SPACING_MS)
      await this.#options.clock.sleep(POLL_MS - SPACING_MS, this.#resting.signal)
    }
    this.#loop = null
  }

  async #look(): Promise<void> {
    const looks = [...this.#cursors].map(([source, cursor]) =>
      source.look(this.#options.ends, { cursor, tenantId: TENANT }).catch((error) => {
        this.#options.onError(error)
        return []
      }),
    )
    for (const event of inOrder((await Promise.all(looks)).flat())) this.#options.onEvent(event)
  }

  /** Resolves when no look is under way; nobody may listen any more. */
  async idle(): Promise<void> {
    await this.#loop
  }
}
