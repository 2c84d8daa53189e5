/**
 * Seals the audit log: assigns entries their places in the chains. Every node has a sealer, and one
 * works at a time. Writers do not wait for it. While none runs nothing is lost: entries wait, and
 * verification reports how many.
 */
import type { SealStore } from '@punctual/core/ports'
import type { Role } from './role.ts'

export interface SealerOptions {
  readonly store: SealStore
}

const BATCH = 500
/** After sealing some entries, more are likely to follow. */
const REST_BUSY_MS = 1_000
/** While nothing waits, each rest is twice as long as the one before. */
const REST_MIN_MS = 5_000
const REST_MAX_MS = 30_000

export class Sealer implements Role {
  readonly name = 'sealer'
  readonly #store: SealStore
  #restMs = REST_MIN_MS

  constructor({ store }: SealerOptions) {
    this.#store = store
  }

  async tick(): Promise<number> {
    const { sealed, more } = await this.#store.seal(BATCH)
    if (more) return 0
    const restMs = sealed > 0 ? REST_BUSY_MS : this.#restMs
    this.#restMs = sealed > 0 ? REST_MIN_MS : Math.min(REST_MAX_MS, this.#restMs * 2)
    return restMs
  }
}
