/** The pools of a process, one for each kind of work: none waits for the connections of another. */
import { ClientPool } from './client-pool.ts'
import type { Database } from './database.ts'

const REQUESTS = { clientsMax: 8, idleMax: 8 } as const

export class ClientPools {
  /** Short transactions of several statements. */
  readonly control: ClientPool
  /** For migrations and the upkeep of days, which may take long: no statement timeout. */
  readonly upkeep: ClientPool
  /** The transactions of handlers. */
  readonly handlers: ClientPool
  /** The transactions of requests, in which a part may need a second connection. */
  readonly requests: ClientPool

  constructor(database: Database) {
    const { timeoutMs } = database
    this.control = new ClientPool(database, { timeoutMs })
    this.upkeep = new ClientPool(database)
    this.handlers = new ClientPool(database, { parsed: true })
    this.requests = new ClientPool(database, { timeoutMs }, REQUESTS)
  }

  async close(): Promise<void> {
    const all = [this.control, this.upkeep, this.handlers, this.requests]
    await Promise.all(all.map((clientPool) => clientPool.close()))
  }
}
