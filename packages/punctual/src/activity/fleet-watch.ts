/**
 * Reads what has ended anywhere in the fleet, about once a second and only while a listener exists.
 * It reads the runs of the default tenant only. Each kind is read in the order of its time,
 * beginning when the first listener for it was added; a failed read is repeated.
 */
import type { Clock } from '@punctual/core/clock'
import { EndsCursor, type EndsReader } from '@punctual/store'
import { TENANT } from '../tenants/tenant.ts'
import type { ActivityType } from './event-types.ts'
import { type FleetEvent, type FleetSource, fleetSources, inOrder } from './fleet-sources.ts'

const POLL_MS = 1_000
/** However many runs end here, reads are at least this far apart. */
const SPACING_MS = 100
/** This process may misjudge the time of the database by this much. */
const CLOCK_ERROR_MS = 100

export interface FleetWatchOptions {
  readonly ends: EndsReader
  readonly clock: Clock
  /** The current time by the database's clock. */
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

  /** Sets the types that have listeners. */
  want(types: ReadonlySet<ActivityType>): void {
    for (const source of fleetSources) {
      const wanted = source.types.some((type) => types.has(type))
      if (!wanted) this.#cursors.delete(source)
      else if (!this.#cursors.has(source))
        this.#cursors.set(source, new EndsCursor(this.#options.nowMs() - CLOCK_ERROR_MS))
    }
    if (this.#cursors.size === 0) this.#resting.abort()
    else this.#loop ??= this.#run()
  }

  /** A run has ended in this process: reads at once instead of waiting for the next poll. */
  hint(): void {
    this.#resting.abort()
  }

  async #run(): Promise<void> {
    // Listeners that are added together share the first read.
    await Promise.resolve()
    while (this.#cursors.size > 0) {
      this.#resting = new AbortController()
      await this.#read()
      if (this.#cursors.size === 0) break
      await this.#options.clock.sleep(SPACING_MS)
      await this.#options.clock.sleep(POLL_MS - SPACING_MS, this.#resting.signal)
    }
    this.#loop = null
  }

  async #read(): Promise<void> {
    const reads = [...this.#cursors].map(([source, cursor]) =>
      source.read(this.#options.ends, { cursor, tenantId: TENANT }).catch((error) => {
        this.#options.onError(error)
        return []
      }),
    )
    for (const event of inOrder((await Promise.all(reads)).flat())) this.#options.onEvent(event)
  }

  /** Resolves when no read is in progress. Call it after the last listener was removed. */
  async idle(): Promise<void> {
    await this.#loop
  }
}
