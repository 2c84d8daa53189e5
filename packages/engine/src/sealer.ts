/**
 * Seals the audit log: gives entries their places in the chains. It runs on every node, and one at a time works; whoever
 * wrote an entry does not wait for it. When it is off nothing is lost: entries wait, and verifying tells how many.
 */
import type { SealStore } from '@punctual/core/ports'
import type { Role } from './role.ts'

export interface SealerOptions {
  readonly store: SealStore
}

const BATCH = 500
/** After it has sealed something more is likely to come. */
const REST_BUSY_MS = 1_000
const REST_MS = 5_000

export class Sealer implements Role {
  readonly name = 'sealer'
  readonly #store: SealStore

  constructor({ store }: SealerOptions) {
    this.#store = store
  }

  async tick(): Promise<number> {
    const { sealed, more } = await this.#store.seal(BATCH)
    if (more) return 0
    return sealed > 0 ? REST_BUSY_MS : REST_MS
  }
}
