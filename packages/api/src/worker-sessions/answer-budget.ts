/**
 * Bounds the memory of the answers to claims that this node assembles and sends at the same time.
 * A claim reserves the largest answer before it takes runs, keeps what its answer needs until the
 * client has read it, and gives back the rest. The others wait for their turn without touching the
 * database; the tenant that holds the least is next, and no tenant holds more than half.
 */
import { limits } from '@punctual/core/errors'

/** The share of one answer. */
export interface Reserved {
  /** Keeps this many bytes at most, and gives back the others. */
  shrink(bytes: number): void
  release(): void
}

interface Waiting {
  readonly bytes: number
  grant(): void
}

interface Holder {
  held: number
  readonly waiting: Set<Waiting>
}

export class AnswerBudget {
  readonly #perTenant: number
  readonly #holders = new Map<number | null, Holder>()
  #free: number

  constructor(bytes: number = limits.answerBytes) {
    this.#free = bytes
    this.#perTenant = bytes / 2
  }

  /** Reserves bytes for an answer to this tenant; null when the signal aborts first. */
  reserve(tenantId: number | null, bytes: number, signal: AbortSignal): Promise<Reserved | null> {
    if (signal.aborted) return Promise.resolve(null)
    const holder = this.#holders.get(tenantId) ?? { held: 0, waiting: new Set<Waiting>() }
    this.#holders.set(tenantId, holder)
    return new Promise((resolve) => {
      const leave = () => {
        holder.waiting.delete(waiting)
        this.#forget(tenantId, holder)
        resolve(null)
      }
      const waiting: Waiting = {
        bytes,
        grant: () => {
          signal.removeEventListener('abort', leave)
          resolve(this.#reserved(tenantId, holder, bytes))
        },
      }
      holder.waiting.add(waiting)
      signal.addEventListener('abort', leave, { once: true })
      this.#grant()
    })
  }

  #reserved(tenantId: number | null, holder: Holder, bytes: number): Reserved {
    let kept = bytes
    const shrink = (to: number) => {
      const freed = Math.max(0, kept - Math.max(0, to))
      if (freed === 0) return
      kept -= freed
      holder.held -= freed
      this.#free += freed
      this.#grant()
      this.#forget(tenantId, holder)
    }
    return { shrink, release: () => shrink(0) }
  }

  /** Grants what fits, first to the tenants that hold the least. */
  #grant(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const { holder, waiting } = next
      holder.waiting.delete(waiting)
      holder.held += waiting.bytes
      this.#free -= waiting.bytes
      waiting.grant()
    }
  }

  #next(): { holder: Holder; waiting: Waiting } | null {
    let next: { holder: Holder; waiting: Waiting } | null = null
    for (const holder of this.#holders.values()) {
      const [waiting] = holder.waiting
      if (waiting === undefined || waiting.bytes > this.#free) continue
      // A single answer may be larger than the share, when nothing else is under way.
      if (holder.held > 0 && holder.held + waiting.bytes > this.#perTenant) continue
      if (next === null || holder.held < next.holder.held) next = { holder, waiting }
    }
    return next
  }

  #forget(tenantId: number | null, holder: Holder): void {
    if (holder.held === 0 && holder.waiting.size === 0) this.#holders.delete(tenantId)
  }
}
