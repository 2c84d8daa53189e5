/**
 * Bounds the pieces that one tenant does at the same time in this process. Pieces of long requests
 * are limited by the processor rather than by PostgreSQL: more of them at once would only delay the
 * requests of other tenants. Further pieces wait in order, and too many requests are refused.
 */
import { PunctualError } from '@punctual/core/errors'

const AT_ONCE = 2
const WAITING_MAX = 100
const RETRY_AFTER_MS = 1_000

interface Turns {
  busy: number
  readonly waiting: (() => void)[]
}

export class PieceTurns {
  readonly #tenants = new Map<number, Turns>()

  /** @throws `server_busy` when too many pieces of the tenant wait */
  async perform<Result>(tenantId: number, piece: () => Promise<Result>): Promise<Result> {
    const turns = this.#tenants.get(tenantId) ?? { busy: 0, waiting: [] }
    this.#tenants.set(tenantId, turns)
    if (turns.waiting.length >= WAITING_MAX)
      throw new PunctualError(
        'server_busy',
        `The tenant has ${turns.waiting.length} bulk requests waiting here. Retry when some have ended.`,
        { retryAfterMs: RETRY_AFTER_MS },
      )
    if (turns.busy < AT_ONCE) turns.busy++
    else await new Promise<void>((resolve) => turns.waiting.push(resolve))
    try {
      return await piece()
    } finally {
      const next = turns.waiting.shift()
      // The turn passes to the next piece, so that none overtakes it.
      if (next) next()
      else if (--turns.busy === 0) this.#tenants.delete(tenantId)
    }
  }
}
