/**
 * Finishes groups: checks the progress of the open ones and marks those done whose members have all
 * ended. Without an open group it rests until a hint announces one. It checks more often while
 * groups progress, and uses a bounded share of the time, however many groups exist.
 */
import type { Clock } from '@punctual/core/clock'
import type { GroupUpkeep } from '@punctual/core/ports'
import type { Role } from './role.ts'

export interface GroupFinisherOptions {
  readonly store: GroupUpkeep
  readonly clock: Clock
  /** Whether hints announce groups that other processes create. */
  hintsArrive(): boolean
}

const REST_MIN_MS = 100
const REST_MAX_MS = 500
const REST_GROWTH = 1.5
/** A rest is at least this many times as long as the check took. */
const REST_SHARE = 4
const NONE_MS = 30_000
const NONE_WITHOUT_HINTS_MS = 1_000

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
      return hintsArrive() ? NONE_MS : NONE_WITHOUT_HINTS_MS
    }
    if (more && moved > 0) return 0
    this.#restMs = moved > 0 ? REST_MIN_MS : Math.min(REST_MAX_MS, this.#restMs * REST_GROWTH)
    return Math.max(this.#restMs, (clock.monotonicMs() - beganMs) * REST_SHARE)
  }
}
