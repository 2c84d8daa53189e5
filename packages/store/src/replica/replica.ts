/**
 * A standby that serves lists for humans. Before each use it is checked: that it is a standby, of
 * this installation, with this schema, and how far it lags. Everything that was committed on the
 * primary before the last transaction it replayed stands before that one in the WAL, so the replica
 * has it. The commit time of that transaction therefore bounds the lag, also while the replica is
 * cut off from the primary. When nothing is written, its WAL position shows that it lacks nothing.
 */
import { invariant } from '@punctual/core/errors'
import { Channel } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { isMissingSchema } from '../connection/faults.ts'
import { Endpoint } from '../connection/server/endpoint.ts'
import { greet } from '../connection/statements.gen.ts'
import { Turns } from '../connection/turns.ts'
import { type Readers, readersOf } from './readers.ts'
import { type ReadPositionRow, readPosition } from './statements.gen.ts'

/** Long enough for any page; after that the primary serves the reader better. */
const ANSWER_MS = 10_000
const CONNECT_MS = 3_000
const IDLE_MS = 10_000
const CONNECTIONS = 2

/** Why the replica is skipped. */
export class ReplicaUnfit extends Error {
  /** The replica lags, and may have caught up by the next check. */
  readonly behind: boolean

  constructor(why: string, behind = false) {
    super(why)
    this.behind = behind
  }
}

/** One connection, so that reads that belong together come from one server. */
interface ReplicaConnection {
  readonly channel: Channel
  readonly readers: Readers
}

export interface ReplicaOptions {
  readonly url: string
  readonly database: Database
  /** How far it may lag. */
  readonly lagMs: number
}

export class Replica {
  readonly lagMs: number
  readonly #database: Database
  readonly #connections: Turns<ReplicaConnection>
  #primary: ReadPositionRow | null = null

  constructor({ url, database, lagMs }: ReplicaOptions) {
    this.lagMs = lagMs
    this.#database = database
    const endpoint = new Endpoint({
      ...{ url, applicationName: 'punctual reads', wants: 'standby' },
      connectTimeoutMs: CONNECT_MS,
    })
    database.onNewTimeline.push(() => {
      this.#primary = null
    })
    this.#connections = new Turns(CONNECTIONS, () => this.#connect(endpoint))
  }

  #connect(endpoint: Endpoint): ReplicaConnection {
    const { ambient, statements, clock, localClock } = this.#database
    let pooled = false
    const channel = new Channel({
      ...{ endpoint, statements, ambient, idleMs: IDLE_MS },
      timeoutMs: Math.min(this.#database.timeoutMs, ANSWER_MS),
      prepared: () => this.#database.prepared && !pooled,
      onConnect: async (client) => {
        const [greeting] = await this.#database.runOn(client, greet(), { timeoutMs: ANSWER_MS })
        // Through a pooler: the backend that answers is not the one that greeted.
        pooled = greeting?.pid !== client.processID
        // Even if it is promoted, this process writes nothing to it.
        const settings = 'set jit = off; set default_transaction_read_only = on'
        if (!pooled) await client.query({ text: settings, query_timeout: ANSWER_MS })
      },
    })
    const source = { reads: channel, browse: channel, ambient, clock, localClock }
    return { channel, readers: readersOf(source) }
  }

  /** The connections in turn. */
  get connection(): ReplicaConnection {
    return this.#connections.next()
  }

  /** Returns the largest possible lag; rejects when that is too much, or the server is unfit. */
  async look({ channel }: ReplicaConnection): Promise<number> {
    const seen = await this.#positionOf(channel).catch((error) => {
      throw isMissingSchema(error) ? new ReplicaUnfit('it lacks the schema') : error
    })
    if (!seen.standby) throw new ReplicaUnfit('it is not a standby (any more): it accepts writes')
    this.#primary ??= await this.#positionOf(this.#database.control)
    if (seen.identity !== this.#primary.identity)
      throw new ReplicaUnfit('it is a standby of another database')
    if (seen.migration < this.#primary.migration)
      throw new ReplicaUnfit('it lacks the last migration', true)
    if (this.#primary.mayBeTenant && !seen.mayBeTenant)
      throw new ReplicaUnfit('its user may not act as the tenant role')
    const lagMs = this.#database.clock.nowMs() - (seen.replayedMs ?? Number.NEGATIVE_INFINITY)
    if (lagMs <= this.lagMs) return Math.max(0, lagMs)
    // Perhaps nothing was written for a while.
    this.#primary = await this.#positionOf(this.#database.control)
    if (seen.position >= this.#primary.position) return 0
    throw new ReplicaUnfit(
      `it may be ${inWords(lagMs)} behind; at most ${this.lagMs} ms are allowed`,
      true,
    )
  }

  /** Runs outside the caller's transaction and row security: the answer serves every caller. */
  async #positionOf(channel: Pick<Channel, 'run'>): Promise<ReadPositionRow> {
    const call = readPosition()
    const [position] = await this.#database.ambient.outside(() => channel.run(call))
    invariant(position, 'the position of a server is one row')
    return position
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.all.map(({ channel }) => channel.close()))
  }
}

function inWords(lagMs: number): string {
  return Number.isFinite(lagMs) ? `${Math.round(lagMs)} ms` : 'an unknown time'
}
