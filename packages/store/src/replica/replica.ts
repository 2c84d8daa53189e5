/**
 * A standby that serves lists for humans. Before each use it is checked: that it is a standby, of
 * this installation, with this schema, and how far it lags. Everything that was committed on the
 * primary before the last transaction it replayed stands before that one in the WAL, so the replica
 * has it. The commit time of that transaction therefore bounds the lag, also while the replica is
 * cut off from the primary. When nothing is written, its WAL position shows that it lacks nothing.
 */
import type pg from 'pg'
import { Channel, type Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { isMissingSchema } from '../connection/faults.ts'
import { Endpoint } from '../connection/server/endpoint.ts'
import { type Readers, readersOf } from './readers.ts'

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

interface Position {
  readonly identity: string
  readonly isStandby: boolean
  readonly replayedMs: number | null
  readonly position: bigint
  readonly migration: number
  readonly mayBeTenant: boolean
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
  readonly #connections: readonly ReplicaConnection[]
  #next = 0
  #primary: Position | null = null

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
    this.#connections = Array.from({ length: CONNECTIONS }, () => this.#connect(endpoint))
  }

  #connect(endpoint: Endpoint): ReplicaConnection {
    const { transactions, statements, clock, localClock } = this.#database
    let pooled = false
    const channel = new Channel({
      ...{ endpoint, statements, transactions, idleMs: IDLE_MS },
      timeoutMs: Math.min(this.#database.timeoutMs, ANSWER_MS),
      prepared: () => this.#database.prepared && !pooled,
      onConnect: async (client) => {
        pooled = await isPooled(client)
        // Even if it is promoted, this process writes nothing to it.
        const settings = 'set jit = off; set default_transaction_read_only = on'
        if (!pooled) await client.query({ text: settings, query_timeout: ANSWER_MS } as Timed)
      },
    })
    const statement = (path: string) => this.#database.statement(path)
    const source = { reads: channel, browse: channel, transactions, clock, localClock, statement }
    return { channel, readers: readersOf(source) }
  }

  /** The connections in turn. */
  get connection(): ReplicaConnection {
    this.#next = (this.#next + 1) % CONNECTIONS
    return this.#connections[this.#next] as ReplicaConnection
  }

  /** Returns the largest possible lag; rejects when that is too much, or the server is unfit. */
  async look({ channel }: ReplicaConnection): Promise<number> {
    const seen = await this.#positionOf(channel).catch((error) => {
      throw isMissingSchema(error) ? new ReplicaUnfit('it lacks the schema') : error
    })
    if (!seen.isStandby) throw new ReplicaUnfit('it is not a standby (any more): it accepts writes')
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
  async #positionOf(channel: Pick<Channel, 'query'>): Promise<Position> {
    const statement = this.#database.statement('replica/read-position')
    const [row] = await this.#database.transactions.outside(() => channel.query(statement))
    return toPosition(row as Row)
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map(({ channel }) => channel.close()))
  }
}

type Timed = pg.QueryConfig & { query_timeout: number }

/** Whether a pooler stands between: the backend that answers is not the one that greeted. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const query = { text: 'select pg_backend_pid() as pid', query_timeout: ANSWER_MS }
  const { rows } = await client.query(query as Timed)
  const { processID } = client as unknown as { processID: number }
  return Number(rows[0].pid) !== processID
}

function toPosition(row: Row): Position {
  const [identity, isStandby, replayedMs, position, migration, mayBeTenant] = row
  return {
    identity: identity as string,
    isStandby: isStandby === 't',
    replayedMs: replayedMs ? Number(replayedMs) : null,
    position: BigInt(position as string),
    migration: Number(migration),
    mayBeTenant: mayBeTenant === 't',
  }
}

function inWords(lagMs: number): string {
  return Number.isFinite(lagMs) ? `${Math.round(lagMs)} ms` : 'an unknown time'
}
