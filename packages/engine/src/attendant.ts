/**
 * Looks after runs that await their targets: gives those up whose time is over. Each run is moved on
 * before it is looked at, so that any number of attendants may race, and one that dies leaves its
 * runs to another.
 */
import type { AwaitingStore } from '@punctual/core/ports'
import type { Role } from './role.ts'

export interface AttendantOptions {
  readonly store: Pick<AwaitingStore, 'giveUp'>
  readonly batch?: number
}

const BATCH = 200
/** A run that begins to wait after a look, and whose time ends before the next, is late by as much. */
const REST_MAX_MS = 15_000
const REST_MIN_MS = 50

export class Attendant implements Role {
  readonly name = 'attendant'
  readonly #options: AttendantOptions

  constructor(options: AttendantOptions) {
    this.#options = options
  }

  async tick(): Promise<number> {
    const { more, nextInMs } = await this.#options.store.giveUp(this.#options.batch ?? BATCH)
    if (more) return 0
    return Math.min(REST_MAX_MS, Math.max(REST_MIN_MS, nextInMs ?? REST_MAX_MS))
  }
}
