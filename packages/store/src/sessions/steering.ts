/** Lists workers for humans: open sessions and past ones; and asks workers to drain. */
import type { StuckHandler } from '@punctual/core/ports'
import type { Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import { date } from '../runs/rows.ts'

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
  async sessions(): Promise<WorkerSession[]> {
    const statement = this.#database.statement('sessions/list-sessions')
    return (await this.#database.control.query(statement)).map(toSession)
  }

  /** Sessions that ended in the last day, latest first. */
  async past(id: string | null = null): Promise<PastSession[]> {
    const statement = this.#database.statement('sessions/list-past-sessions')
    return (await this.#database.control.query(statement, [id])).map(toPast)
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
    const statement = this.#database.statement('sessions/drain-session')
    const [row] = await this.#database.control.query(statement, [id, drains, tenantId])
    if (!row) return null
    this.#signals.sessions([id])
    return row[1] === 't' ? 'asked' : 'already'
  }
}

function identity(
  row: {
    readonly [Name in keyof WorkerIdentity]: string | null | undefined
  },
): WorkerIdentity {
  return {
    id: row.id as string,
    host: row.host as string,
    pid: Number(row.pid),
    version: row.version as string,
    capacity: Number(row.capacity),
    handlers: JSON.parse(row.handlers as string) as string[],
    queues: JSON.parse(row.queues as string) as string[],
    labels: JSON.parse(row.labels as string) as Record<string, string>,
    openedAt: new Date(row.openedAt as string),
  }
}

function toSession(row: Row): WorkerSession {
  const [id, host, pid, version, state, capacity, handlers, queues, labels, openedAt, ...rest] = row
  const [renewedAt, stuck, drainAskedAt, alive, held, tenantId] = rest
  return {
    ...identity({ id, host, pid, version, capacity, handlers, queues, labels, openedAt }),
    state: state as WorkerSession['state'],
    renewedAt: new Date(renewedAt as string),
    stuck: JSON.parse(stuck as string) as StuckHandler[],
    drainAskedAt: date(drainAskedAt),
    alive: alive === 't',
    held: Number(held),
    tenantId: tenantId ? Number(tenantId) : null,
  }
}

function toPast(row: Row): PastSession {
  const [id, host, pid, version, capacity, handlers, queues, labels, openedAt, endedAt, fenced] =
    row
  return {
    ...identity({ id, host, pid, version, capacity, handlers, queues, labels, openedAt }),
    endedAt: new Date(endedAt as string),
    fenced: fenced === 't',
  }
}
