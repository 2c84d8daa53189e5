/**
 * Finishes groups: looks how far the open ones have come, and marks those done whose members have all ended. While there is
 * none it rests until it is told of one. It looks more often while groups move, and takes a small share of the
 * time for that, however many there are.
 */
import type { Clock } from '@punctual/core/clock'
import type { GroupUpkeep } from '@punctual/core/ports'
import type { Role } from './role.ts'

export interface GroupFinisherOptions {
  readonly store: GroupUpkeep
  readonly clock: Clock
  /** Whether it would be told of a group that another process makes. */
  hintsArrive(): boolean
}

const REST_MIN_MS = 100
const REST_MAX_MS = 500
const REST_GROWTH = 1.5
/** Of the time that a look took. */
const REST_SHARE = 4
const NONE_MS = 15_000
const NONE_UNTOLD_MS = 1_000

export class GroupFinisher implements Role {
  readonly name = 'group-finisher'
  readonly #options: GroupFinisherOptions
  #restMs = REST_MIN_MS

  constructor(options: GroupFinisherOptions) {
    this.#options = options
  }

  async tick(): Promise<number> {
    const { store, clock, hintsArrive } = this.#options
    const beganMs = clock.monotonicMs()
    const { open, moved, done, more } = await store.look()
    if (open === done) {
      this.#restMs = REST_MIN_MS
      return hintsArrive() ? NONE_MS : NONE_UNTOLD_MS
    }
    if (more && moved > 0) return 0
    this.#restMs = moved > 0 ? REST_MIN_MS : Math.min(REST_MAX_MS, this.#restMs * REST_GROWTH)
    return Math.max(this.#restMs, (clock.monotonicMs() - beganMs) * REST_SHARE)
  }
}
