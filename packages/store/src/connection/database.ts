/**
 * One PostgreSQL as this process sees it: its connections, its clock, its statements. Connections are few
 * and each has a purpose, so that a slow read never delays a claim or a settle; they open on first use.
 */
import type { Clock } from '@punctual/core/clock'
import { PunctualError } from '@punctual/core/errors'
import type pg from 'pg'
import { Channel } from './channel.ts'
import { DatabaseClock } from './database-clock.ts'
import { type ConnectSettings, Endpoint } from './endpoint.ts'
import { isSchemaName, type Statement, Statements } from './statements.ts'
import { Transactions } from './transactions.ts'

export interface DatabaseOptions {
  readonly url: string
  /** @default 'punctual' */
  readonly schema?: string
  readonly clock: Clock
  /** @default auto: on unless a pooler is seen */
  readonly preparedStatements?: boolean
  /** How long any statement may take. @default 30000 */
  readonly timeoutMs?: number
  readonly applicationName?: string
}

/** The clock, who answers, and the timeline: null on a standby, another one after a fail-over. */
const MEET = `select
  extract(epoch from clock_timestamp())::float8 * 1000,
  pg_backend_pid(),
  case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end`

const SUBMIT_CHANNELS = 4
const BROWSE_CHANNELS = 2
/** Connections that serve callers are closed when nobody calls. */
const IDLE_MS = 10_000
/** That of a worker is kept through the pauses of a quiet queue. */
const SETTLE_IDLE_MS = 60_000

export class Database {
  readonly url: string
  readonly schema: string
  readonly endpoint: Endpoint
  /** How long any statement may take. */
  readonly timeoutMs: number
  readonly clock: DatabaseClock
  readonly localClock: Clock
  readonly statements: Statements
  /** Those that the work of a caller runs in. */
  readonly transactions = new Transactions()
  readonly claim: Channel
  readonly settle: Channel
  /** Second ones for when one is not enough: while its commit waits for the disk, the other works. */
  readonly claimBeside: Channel
  readonly settleBeside: Channel
  /** General purpose: reads, cancels and edits, triggers, sweeps, hints. */
  readonly control: Channel
  readonly #browse: readonly Channel[]
  #browsed = 0
  /** Of the roles that time drives: in use every few seconds, and never behind somebody's long list. */
  readonly upkeep: Channel
  readonly submit: readonly Channel[]
  /** Called after every new connection of the claim channel: what was known of the server may be stale. */
  readonly onClaimConnect: ((client: pg.Client) => Promise<void> | void)[] = []
  readonly onClaimDisconnect: (() => void)[] = []
  /** Another server has taken over: rows that were seen may be gone with the commits that were lost. */
  readonly onNewTimeline: (() => void)[] = []
  #pooled: boolean | null = null
  #timeline: string | null = null
  readonly #prepared: boolean | undefined

  constructor(options: DatabaseOptions) {
    this.url = options.url
    this.schema = options.schema ?? 'punctual'
    if (!isSchemaName(this.schema))
      throw new PunctualError(
        'invalid_config',
        `schema must be a lower-case name of letters, digits and _ (up to 48); got ${JSON.stringify(this.schema)}.`,
        { field: 'schema' },
      )
    this.localClock = options.clock
    this.clock = new DatabaseClock(options.clock)
    this.statements = new Statements(this.schema)
    this.#prepared = options.preparedStatements
    this.endpoint = new Endpoint({
      url: options.url,
      applicationName: options.applicationName ?? 'punctual',
    })
    this.timeoutMs = options.timeoutMs ?? 30_000
    const base = {
      endpoint: this.endpoint,
      timeoutMs: this.timeoutMs,
      transactions: this.transactions,
      prepared: () => this.prepared,
    }
    const meet = (client: pg.Client) => this.#meet(client)
    const pinSession = () => !this.pooled
    const passing = () => new Channel({ ...base, onConnect: meet, idleMs: IDLE_MS })
    const own = { ...base, onConnect: meet, pinSession }
    const beside = () => new Channel({ ...own, idleMs: IDLE_MS })
    this.claim = new Channel({
      ...base,
      pinSession,
      onConnect: async (client) => {
        await this.#meet(client)
        for (const connected of this.onClaimConnect) await connected(client)
      },
      onDisconnect: () => {
        for (const disconnected of this.onClaimDisconnect) disconnected()
      },
    })
    this.settle = new Channel({ ...own, idleMs: SETTLE_IDLE_MS })
    this.upkeep = new Channel(own)
    this.claimBeside = beside()
    this.settleBeside = beside()
    this.control = passing()
    this.#browse = Array.from({ length: BROWSE_CHANNELS }, () => {
      return new Channel({
        ...base,
        onConnect: (client) => this.#meetReader(client),
        idleMs: IDLE_MS,
      })
    })
    this.submit = Array.from({ length: SUBMIT_CHANNELS }, beside)
  }

  /** For pages, counts and reports, which may take long: a look at one run does not wait behind them. */
  get browse(): Channel {
    this.#browsed = (this.#browsed + 1) % BROWSE_CHANNELS
    return this.#browse[this.#browsed] as Channel
  }

  /** Statements that are planned anew each time gain nothing from being compiled. Behind a pooler others have the session. */
  async #meetReader(client: pg.Client): Promise<void> {
    await this.#meet(client)
    const query = { text: 'set jit = off', query_timeout: this.timeoutMs }
    if (!this.pooled) await client.query(query as pg.QueryConfig)
  }

  /** Whether statements are named, so that the server keeps their plans. */
  get prepared(): boolean {
    return this.#prepared ?? this.#pooled !== true
  }

  /** Plain reads share the general connection; a replica has its own. */
  get reads(): Channel {
    return this.control
  }

  /** Whether a pooler stands between: the process that answers is not the one we greeted. */
  get pooled(): boolean {
    return this.#pooled === true
  }

  /** Of the server that was met last; another one after a fail-over. */
  get timeline(): string | null {
    return this.#timeline
  }

  /** Where nodes tell each other that something became due. */
  get hintChannel(): string {
    return `${this.schema}_due`
  }

  statement(path: string): Statement {
    return this.statements.get(path)
  }

  async #meet(client: pg.Client): Promise<void> {
    const sentAtMs = this.localClock.monotonicMs()
    const query = { text: MEET, rowMode: 'array' as const, query_timeout: this.timeoutMs }
    const answer = await client.query(query)
    const [nowMs, pid, timeline] = answer.rows[0] as unknown as [string, string, string | null]
    if (timeline === null) {
      await client.end()
      throw new PunctualError(
        'database_unavailable',
        'The server is a standby, which takes no writes.',
      )
    }
    this.clock.sample(sentAtMs, Number(nowMs))
    if (this.#timeline !== null && this.#timeline !== timeline)
      for (const changed of this.onNewTimeline) changed()
    this.#timeline = timeline
    this.#pooled = Number(pid) !== (client as unknown as { processID: number }).processID
  }

  /** A connection of its own for a conversation (a user's transaction, migrations); the caller ends it. */
  async connect(settings: ConnectSettings = {}): Promise<pg.Client> {
    const client = await this.endpoint.connect(settings)
    await this.#meet(client)
    return client
  }

  async close(): Promise<void> {
    const beside = [this.claimBeside, this.settleBeside]
    const readers = [this.control, ...this.#browse]
    const all = [this.claim, this.settle, ...beside, ...readers, this.upkeep, ...this.submit]
    await Promise.all(all.map((channel) => channel.close()))
  }
}
