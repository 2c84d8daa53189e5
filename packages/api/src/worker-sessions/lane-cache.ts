/**
 * The lanes that sessions can claim from, read again after a hint, and periodically in case one was
 * lost.
 */
import type { Clock } from '@punctual/core/clock'
import type { Lane } from '@punctual/core/flow'
import type { OpenSession, WorkStore } from '@punctual/core/ports'

const STALE_MS = 10_000
const ENTRIES_MAX = 1_000

interface Entry {
  readonly readAtMs: number
  readonly lanes: Promise<readonly Lane[]>
}

type Announced = Pick<OpenSession, 'tenantId' | 'handlers' | 'queues'>

export class LaneCache {
  readonly #work: Pick<WorkStore, 'lanes'>
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()

  constructor(work: Pick<WorkStore, 'lanes'>, clock: Clock) {
    this.#work = work
    this.#clock = clock
  }

  /** Called when lanes may have changed. */
  forget(): void {
    this.#entries.clear()
  }

  /**
   * Highest priority first. A session of a tenant gets only its lanes, which keeps tenants apart.
   */
  of({ tenantId, handlers, queues }: Announced): Promise<readonly Lane[]> {
    const key = JSON.stringify([tenantId, handlers, queues])
    const nowMs = this.#clock.monotonicMs()
    const known = this.#entries.get(key)
    if (known && nowMs - known.readAtMs < STALE_MS) return known.lanes
    if (this.#entries.size >= ENTRIES_MAX) this.forget()
    const lanes = this.#work.lanes(handlers, queues, tenantId)
    this.#entries.set(key, { readAtMs: nowMs, lanes })
    lanes.catch(() => this.#entries.delete(key))
    return lanes
  }
}
