/** Lists workers for humans: open sessions and past ones; and asks workers to drain. */
import type { StuckHandler } from '@punctual/core/ports'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import { drainSession, findHandler, listPastSessions, listSessions } from './statements.gen.ts'

interface WorkerIdentity {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  /** How many runs it executes at the same time. */
  readonly capacity: number
  readonly handlers: readonly string[]
  /** Empty when it takes runs from all queues. */
  readonly queues: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly openedAt: Date
}

export interface WorkerSession extends WorkerIdentity {
  /** The state that the worker itself reports. */
  readonly state: 'active' | 'draining'
  readonly renewedAt: Date
  /** Handlers that are still running although their attempts have ended. */
  readonly stuck: readonly StuckHandler[]
  readonly drainAskedAt: Date | null
  /** False when its lease has expired. */
  readonly alive: boolean
  /** How many runs it holds. */
  readonly held: number
  /** The tenant that it works for; null when it works for all. */
  readonly tenantId: number | null
}

export interface PastSession extends WorkerIdentity {
  readonly endedAt: Date
  /** True when its lease expired without a heartbeat; false when the worker closed it. */
  readonly fenced: boolean
}

export class WorkerSteering {
  readonly #database: Database
  readonly #signals: Signals

  constructor(database: Database, signals: Signals) {
    this.#database = database
    this.#signals = signals
  }

  /** The workers with an open session, oldest first. */
  sessions(): Promise<WorkerSession[]> {
    return this.#database.browse.run(listSessions())
  }

  /** Whether a live worker takes this tenant's runs with this handler from this queue. */
  async hasHandler(handler: string, queue: string, tenantId: number): Promise<boolean> {
    const [row] = await this.#database.control.run(findHandler(handler, queue, tenantId))
    return row?.found === true
  }

  /** Sessions that ended in the last day, latest first. */
  past(id: string | null = null): Promise<PastSession[]> {
    return this.#database.browse.run(listPastSessions(id))
  }

  /**
   * Asks a worker to take no more runs, or to take runs again, and sends it a hint; without the
   * hint it learns that with its next renewal. Null when no such worker exists, or a `tenantId` is
   * given and the worker does not serve that tenant alone.
   */
  async drain(
    id: string,
    drains: boolean,
    tenantId: number | null = null,
  ): Promise<'asked' | 'already' | null> {
    const [row] = await this.#database.control.run(drainSession(id, drains, tenantId))
    if (!row) return null
    this.#signals.sessions([id])
    return row.changed ? 'asked' : 'already'
  }
}
