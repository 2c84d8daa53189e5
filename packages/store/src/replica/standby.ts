/**
 * A standby that people are shown lists from. Each time it is looked at first: that it is one, of this installation, with
 * this schema, and how far it is behind. What was committed on the primary before the last transaction that it has replayed
 * was committed stands before that one in the log, and is there. So the time of that one bounds how far behind it is,
 * however it got there, also while it is cut off; where nothing is written its position in the log tells that it lacks nothing.
 */
import type pg from 'pg'
import { Channel, type Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { Endpoint } from '../connection/endpoint.ts'
import { isMissingSchema } from '../connection/faults.ts'
import { type Readers, readersOf } from './readers.ts'

/** Long enough for any page; who waits longer is better served by the primary. */
const ANSWER_MS = 10_000
const CONNECT_MS = 3_000
const IDLE_MS = 10_000
const CONNECTIONS = 2

/** Why a standby is passed by. */
export class StandbyUnfit extends Error {
  /** It may have caught up by the next look. */
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

/** One connection: what is read together is read of one server. */
interface Lane {
  readonly channel: Channel
  readonly readers: Readers
}

export interface StandbyOptions {
  readonly url: string
  readonly database: Database
  /** How far behind it may be. */
  readonly lagMs: number
}

export class Standby {
  readonly lagMs: number
  readonly #database: Database
  readonly #lanes: readonly Lane[]
  #next = 0
  #primary: Position | null = null

  constructor({ url, database, lagMs }: StandbyOptions) {
    this.lagMs = lagMs
    this.#database = database
    const endpoint = new Endpoint({
      ...{ url, applicationName: 'punctual reads', wants: 'standby' },
      connectTimeoutMs: CONNECT_MS,
    })
    database.onNewTimeline.push(() => {
      this.#primary = null
    })
    this.#lanes = Array.from({ length: CONNECTIONS }, () => this.#lane(endpoint))
  }

  #lane(endpoint: Endpoint): Lane {
    const { transactions, clock, localClock } = this.#database
    let pooled = false
    const channel = new Channel({
      ...{ endpoint, transactions, idleMs: IDLE_MS },
      timeoutMs: Math.min(this.#database.timeoutMs, ANSWER_MS),
      prepared: () => this.#database.prepared && !pooled,
      onConnect: async (client) => {
        pooled = await isPooled(client)
        // Should it ever be promoted, it still takes no writes from here.
        const settings = 'set jit = off; set default_transaction_read_only = on'
        if (!pooled) await client.query({ text: settings, query_timeout: ANSWER_MS } as Timed)
      },
    })
    const statement = (path: string) => this.#database.statement(path)
    const source = { reads: channel, browse: channel, clock, localClock, statement }
    return { channel, readers: readersOf(source) }
  }

  /** One of its connections, in turn. */
  get lane(): Lane {
    this.#next = (this.#next + 1) % CONNECTIONS
    return this.#lanes[this.#next] as Lane
  }

  /** How far behind it is at most; rejects when that is too far, or it is not the standby that it should be. */
  async look({ channel }: Lane): Promise<number> {
    const seen = await this.#positionOf(channel).catch((error) => {
      throw isMissingSchema(error) ? new StandbyUnfit('it has no such schema') : error
    })
    if (!seen.isStandby)
      throw new StandbyUnfit('it is no standby (any more), but a server that takes writes')
    this.#primary ??= await this.#positionOf(this.#database.control)
    if (seen.identity !== this.#primary.identity)
      throw new StandbyUnfit('it is no standby of this database, but of another one')
    if (seen.migration < this.#primary.migration)
      throw new StandbyUnfit('it has not got the last migration yet', true)
    if (this.#primary.mayBeTenant && !seen.mayBeTenant)
      throw new StandbyUnfit('its user may not work as the role of tenants')
    const lagMs = this.#database.clock.nowMs() - (seen.replayedMs ?? Number.NEGATIVE_INFINITY)
    if (lagMs <= this.lagMs) return Math.max(0, lagMs)
    // Nothing may have been written for a while.
    this.#primary = await this.#positionOf(this.#database.control)
    if (seen.position >= this.#primary.position) return 0
    throw new StandbyUnfit(
      `it may be ${inWords(lagMs)} behind, and ${this.lagMs} ms are allowed`,
      true,
    )
  }

  /** Whoever asks may be behind a wall or in a transaction; this is asked for everybody. */
  async #positionOf(channel: Pick<Channel, 'query'>): Promise<Position> {
    const statement = this.#database.statement('replica/read-position')
    const [row] = await this.#database.transactions.apart(() => channel.query(statement))
    return toPosition(row as Row)
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map(({ channel }) => channel.close()))
  }
}

type Timed = pg.QueryConfig & { query_timeout: number }

/** The process that answers is not the one that was greeted. */
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
  return Number.isFinite(lagMs) ? `${Math.round(lagMs)} ms` : 'any time'
}
