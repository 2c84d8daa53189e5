/**
 * How the live runs of a tenant are read without walking those of other tenants. A limit counts
 * only rows that row security shows, so a walk by id reads all that stands between them.
 *
 * The queue has no index by lane and id: submissions and claims would pay for it. So a tenant with
 * few queued runs reads the lanes that it has in the queue, and one with many its runs by lane,
 * newest first, of which those in the queue come early. The same holds for leases when there are
 * many; usually the whole fleet holds few.
 */
import { invariant } from '@punctual/core/errors'
import type { ReadSource } from '../../connection/read-source.ts'
import { findSurroundings } from '../statements.gen.ts'

/** The sources of runs/page-runs for the live runs of a tenant. */
export interface Surroundings {
  /** Whether other tenants have no runs. */
  readonly alone: boolean
  readonly queue: 'queue' | 'queue-lanes' | 'lanes'
  readonly leases: 'leases' | 'lanes'
}

const CROWD = 20_000
const VALID_MS = 10_000
const TENANTS_MAX = 1_000

interface Known {
  readonly untilMs: number
  readonly surroundings: Surroundings
}

export class AroundTenants {
  readonly #database: ReadSource
  readonly #crowd: number
  readonly #known = new Map<number, Known>()

  /** `crowd`: how many rows of a place one statement may read to find those of a tenant. */
  constructor(database: ReadSource, crowd: number = CROWD) {
    this.#database = database
    this.#crowd = crowd
  }

  /** Cached for seconds. */
  async of(tenantId: number): Promise<Surroundings> {
    const nowMs = this.#database.localClock.monotonicMs()
    const known = this.#known.get(tenantId)
    if (known && known.untilMs > nowMs) return known.surroundings
    const surroundings = await this.#read(tenantId)
    if (this.#known.size >= TENANTS_MAX) this.#known.clear()
    this.#known.set(tenantId, { untilMs: nowMs + VALID_MS, surroundings })
    return surroundings
  }

  async #read(tenantId: number): Promise<Surroundings> {
    // Behind row security no other tenant is visible: every tenant would seem to be alone, and its
    // pages would walk the runs of all others.
    const { ambient, reads } = this.#database
    const [row] = await ambient.outside(() =>
      reads.run(findSurroundings(tenantId, this.#crowd + 1)),
    )
    invariant(row, 'the surroundings of a tenant are one row')
    if (!row.others) return { alone: true, queue: 'queue', leases: 'leases' }
    return {
      alone: false,
      queue: row.queued > this.#crowd ? 'lanes' : 'queue-lanes',
      leases: row.leased > this.#crowd ? 'lanes' : 'leases',
    }
  }
}
