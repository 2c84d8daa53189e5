/**
 * Shares a few permits (connections) between tenants. One tenant never holds all of them, and no
 * more than half of them while another tenant waits. Tenants that wait are served in turn, not in
 * the order of their callers, so that a thousand callers of one tenant delay the single caller of
 * another by at most one turn. A caller of a tenant waits for a bounded time, in a bounded queue.
 *
 * The party `null` is the installation itself: its roles, and programs that use the library. It may
 * hold every permit, and by default it waits as long as it takes.
 */
import { invariant, PunctualError } from '@punctual/core/errors'

/** The number of a tenant, `SYSTEM_KEYS`, or null for the installation itself. */
export type Party = number | null

/**
 * The keys of the installation share as one tenant does, so that a client of an operator takes
 * nothing from a tenant. Tenants have numbers from 1 on.
 */
export const SYSTEM_KEYS = 0

export interface ShareBounds {
  readonly permits: number
  /** The permits that one tenant may hold. @default three quarters, and always fewer than all */
  readonly permitsOfTenant?: number
  /** The permits that one party may hold while another waits. @default half, at least one */
  readonly permitsWhileOthersWait?: number
  /** How long a caller of a tenant waits. @default 5000 */
  readonly waitMs?: number
  /** The callers of one tenant that wait at the same time. @default 500 */
  readonly waitersOfTenant?: number
  /** What is shared, for the message of a refusal. @default 'connections for requests' */
  readonly what?: string
}

const WAIT_MS = 5_000
const WAITERS_OF_TENANT = 500
const RETRY_AFTER_MS = 1_000

interface Waiter {
  readonly admit: () => void
}

export class FairShares {
  readonly #permits: number
  readonly #ofTenant: number
  readonly #whileOthersWait: number
  readonly #waitMs: number
  readonly #waitersOfTenant: number
  readonly #what: string
  #busy = 0
  readonly #held = new Map<Party, number>()
  /** The parties that wait, the next one to be served first. */
  readonly #waiting = new Map<Party, Waiter[]>()

  constructor(bounds: ShareBounds) {
    const { permits } = bounds
    this.#permits = permits
    this.#ofTenant = bounds.permitsOfTenant ?? Math.max(1, Math.min(permits - 1, permits * 0.75))
    this.#whileOthersWait = bounds.permitsWhileOthersWait ?? Math.max(1, permits / 2)
    this.#waitMs = bounds.waitMs ?? WAIT_MS
    this.#waitersOfTenant = bounds.waitersOfTenant ?? WAITERS_OF_TENANT
    this.#what = bounds.what ?? 'connections for requests'
  }

  /** The callers that wait. */
  get waiting(): number {
    let sum = 0
    for (const waiters of this.#waiting.values()) sum += waiters.length
    return sum
  }

  /**
   * Takes a permit: at once, without a promise, when the party may have one now.
   * @throws `server_busy` when a tenant has waited too long, or has too many waiting callers
   */
  take(party: Party): Promise<void> | undefined {
    if (!this.#waiting.has(party) && this.#mayTake(party)) return void this.#grant(party)
    return this.#wait(party)
  }

  release(party: Party): void {
    const held = this.#held.get(party) ?? 0
    invariant(held > 0, 'a permit is released by its holder')
    this.#busy--
    if (held === 1) this.#held.delete(party)
    else this.#held.set(party, held - 1)
    this.#serve()
  }

  #mayTake(party: Party): boolean {
    if (this.#busy >= this.#permits) return false
    const held = this.#held.get(party) ?? 0
    if (party !== null && held + 1 > this.#ofTenant) return false
    const others = this.#waiting.size > (this.#waiting.has(party) ? 1 : 0)
    return !others || held + 1 <= this.#whileOthersWait
  }

  #grant(party: Party): void {
    this.#busy++
    this.#held.set(party, (this.#held.get(party) ?? 0) + 1)
  }

  #wait(party: Party): Promise<void> {
    const waiters = this.#waiting.get(party) ?? []
    if (party !== null && waiters.length >= this.#waitersOfTenant)
      return Promise.reject(this.#busyError(party, `${waiters.length} requests wait for one`))
    this.#waiting.set(party, waiters)
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const waiter: Waiter = {
        admit: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      waiters.push(waiter)
      if (party === null) return
      timer = setTimeout(() => {
        this.#leave(party, waiter)
        reject(this.#busyError(party, `the request has waited for one for ${this.#waitMs} ms`))
      }, this.#waitMs)
    })
  }

  #leave(party: Party, waiter: Waiter): void {
    const waiters = this.#waiting.get(party) ?? []
    const at = waiters.indexOf(waiter)
    if (at >= 0) waiters.splice(at, 1)
    if (waiters.length === 0) this.#waiting.delete(party)
    // A party that no longer waits no longer keeps the others at half.
    this.#serve()
  }

  /** Gives free permits to the parties that wait, in turn, and each party's callers in order. */
  #serve(): void {
    for (let served = true; served && this.#busy < this.#permits; ) {
      served = false
      for (const [party, waiters] of [...this.#waiting]) {
        if (!this.#mayTake(party)) continue
        const waiter = waiters.shift()
        // Served parties go to the end of the turn.
        this.#waiting.delete(party)
        if (waiters.length > 0) this.#waiting.set(party, waiters)
        if (!waiter) continue
        served = true
        this.#grant(party)
        waiter.admit()
      }
    }
  }

  #busyError(party: Party, why: string): PunctualError {
    const owner =
      party === SYSTEM_KEYS ? 'The keys of the installation use their' : 'The tenant uses its'
    return new PunctualError(
      'server_busy',
      `${owner} share of the ${this.#what} of this process, and ${why}. Send fewer requests at the same time, and retry in ${RETRY_AFTER_MS} ms.`,
      { retryAfterMs: RETRY_AFTER_MS },
    )
  }
}
