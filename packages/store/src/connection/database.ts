/**
 * One PostgreSQL as this process sees it: its connections, its clock, its statements. There are few
 * connections, each with one purpose, so that a slow read never delays a claim or a settle. They
 * open on first use.
 */
import type { Clock } from '@punctual/core/clock'
import { invariant, PunctualError } from '@punctual/core/errors'
import type pg from 'pg'
import type { Call } from '../sql/typed.ts'
import { Ambient } from './ambient.ts'
import { Channel } from './channel.ts'
import { DatabaseClock } from './database-clock.ts'
import { identityTimedOut, readTimedOut } from './faults.ts'
import type { Queryable } from './queryable.ts'
import type { BrowseReads } from './read-source.ts'
import { type RunOptions, runIn, runOn } from './run-call.ts'
import { type ConnectSettings, Endpoint } from './server/endpoint.ts'
import { FairShares } from './shares/fair-shares.ts'
import { SharedMembers } from './shares/shared-members.ts'
import { greet } from './statements.gen.ts'
import { isSchemaName, Statements } from './statements.ts'

export interface DatabaseOptions {
  readonly url: string
  /** @default 'punctual' */
  readonly schema?: string
  readonly clock: Clock
  /** @default auto: on unless the connection goes through a pooler */
  readonly preparedStatements?: boolean
  /** Limit for any statement. @default 30000 */
  readonly timeoutMs?: number
  /** Limit for one statement of a list or report of a tenant. @default 10000 */
  readonly tenantReadMs?: number
  readonly applicationName?: string
}

const SUBMIT_CHANNELS = 4
const BROWSE_CHANNELS = 3
/** How long one statement of a list or report of a tenant may take. */
const TENANT_READ_MS = 10_000
/** How long one statement may take that authenticates a caller or renews a session. */
const IDENTITY_MS = 5_000
/** Connections that serve callers close after this long without calls. */
const IDLE_MS = 10_000
/** Longer, so that a worker's connection survives the pauses of a quiet queue. */
const SETTLE_IDLE_MS = 60_000

export class Database {
  readonly url: string
  readonly schema: string
  readonly endpoint: Endpoint
  /** Limit for any statement. */
  readonly timeoutMs: number
  readonly clock: DatabaseClock
  readonly localClock: Clock
  readonly statements: Statements
  /** The transaction, the tenant and the actor that callers' work runs with. */
  readonly ambient = new Ambient()
  readonly claim: Channel
  readonly settle: Channel
  /** Second connections for when one is not enough: one works while the other commits to disk. */
  readonly secondClaim: Channel
  readonly secondSettle: Channel
  /** General purpose: reads, cancels and edits, triggers, sweeps, hints. */
  readonly control: Channel
  /**
   * Identity and liveness: authentication, sessions of remote workers and their renewal. Each call
   * finds a row by its primary key, and none waits for any other read or write.
   */
  readonly identity: Channel
  readonly #browse: SharedMembers<Channel>
  /** For pages, counts and reports, which may take long: reads of one run never wait for them. */
  readonly browse: BrowseReads
  /** For the roles that time drives: used every few seconds, never queued behind a long list. */
  readonly upkeep: Channel
  readonly submit: readonly Channel[]
  /** Called after every new claim connection: what is known of the server may be out of date. */
  readonly onClaimConnect: ((client: pg.Client) => Promise<void> | void)[] = []
  readonly onClaimDisconnect: (() => void)[] = []
  /** Called when another server took over: rows seen before may be gone with the lost commits. */
  readonly onNewTimeline: (() => void)[] = []
  /** Called with each stored value or message that is unusable and was worked around. */
  readonly onFault: ((where: string, error: unknown) => void)[] = []
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
    this.statements = new Statements(this.schema, () => this.clock.nowMs())
    this.#prepared = options.preparedStatements
    this.endpoint = new Endpoint({
      url: options.url,
      applicationName: options.applicationName ?? 'punctual',
    })
    this.timeoutMs = options.timeoutMs ?? 30_000
    const base = {
      endpoint: this.endpoint,
      statements: this.statements,
      timeoutMs: this.timeoutMs,
      ambient: this.ambient,
      prepared: () => this.prepared,
    }
    const handshake = (client: pg.Client) => this.#handshake(client)
    const pinSession = () => !this.pooled
    const pinned = { ...base, onConnect: handshake, pinSession }
    const pinnedChannel = () => new Channel({ ...pinned, idleMs: IDLE_MS })
    this.claim = new Channel({
      ...base,
      pinSession,
      onConnect: async (client) => {
        await this.#handshake(client)
        for (const connected of this.onClaimConnect) await connected(client)
      },
      onDisconnect: () => {
        for (const disconnected of this.onClaimDisconnect) disconnected()
      },
    })
    this.settle = new Channel({ ...pinned, idleMs: SETTLE_IDLE_MS })
    this.upkeep = new Channel(pinned)
    this.secondClaim = pinnedChannel()
    this.secondSettle = pinnedChannel()
    // The server ends a statement before the connection and all other calls on it are given up.
    const serverMs = Math.ceil((this.timeoutMs * 5) / 6)
    const tenantReadMs = Math.min(serverMs, options.tenantReadMs ?? TENANT_READ_MS)
    const identityMs = Math.min(serverMs, IDENTITY_MS)
    const limited = (statementMs: number, settings: readonly string[] = []) => ({
      ...base,
      idleMs: IDLE_MS,
      onConnect: (client: pg.Client) =>
        this.#handshakeLimited(client, [`statement_timeout = ${statementMs}`, ...settings]),
    })
    this.control = new Channel({ ...limited(serverMs), tenantMs: tenantReadMs })
    this.identity = new Channel({ ...limited(identityMs), timedOut: identityTimedOut })
    // Statements that are planned each time gain nothing from being compiled.
    const reader = { ...limited(serverMs, ['jit = off']), tenantMs: tenantReadMs }
    const readers = Array.from(
      { length: BROWSE_CHANNELS },
      () => new Channel({ ...reader, timedOut: readTimedOut }),
    )
    const what = 'connections for lists and reports'
    const shares = new FairShares({ permits: BROWSE_CHANNELS, permitsOfTenant: 1, what })
    this.#browse = new SharedMembers(readers, shares)
    this.browse = {
      run: (call) => this.#browseWith((channel) => channel.run(call)),
      runReplanned: (call) => this.#browseWith((channel) => channel.runReplanned(call)),
      runPinned: (call) => this.#browseWith((channel) => channel.runPinned(call)),
    }
    this.submit = Array.from({ length: SUBMIT_CHANNELS }, pinnedChannel)
  }

  /** Within a transaction the call is sent there, on a connection that the caller has. */
  #browseWith<Result>(work: (channel: Channel) => Promise<Result>): Promise<Result> {
    const { transaction, tenantId } = this.ambient
    const [first] = this.#browse.all
    return transaction && first ? work(first) : this.#browse.with(tenantId, work)
  }

  /** Limits statements on the server. Not behind a pooler, whose sessions serve other clients. */
  async #handshakeLimited(client: pg.Client, settings: readonly string[]): Promise<void> {
    await this.#handshake(client)
    const text = settings.map((setting) => `set ${setting}`).join('; ')
    if (!this.pooled) await client.query({ text, query_timeout: this.timeoutMs })
  }

  /** Whether statements are named, so that the server keeps their plans. */
  get prepared(): boolean {
    return this.#prepared ?? this.#pooled !== true
  }

  /** Plain reads share the general connection; a replica has a separate one. */
  get reads(): Channel {
    return this.control
  }

  /** True behind a pooler: the backend that answers is not the one that greeted this client. */
  get pooled(): boolean {
    return this.#pooled === true
  }

  /** The timeline of the server last connected to; it changes with a fail-over. */
  get timeline(): string | null {
    return this.#timeline
  }

  /** The NOTIFY channel on which nodes send hints that something became due. */
  get hintChannel(): string {
    return `${this.schema}_due`
  }

  /** Runs a typed statement on a connection of a pool. */
  runOn<Row>(client: pg.ClientBase, call: Call<Row>, options?: Partial<RunOptions>) {
    const { statements, timeoutMs } = this
    return runOn(client, statements, call, { timeoutMs, ...options })
  }

  /** The same for a statement that runs often: the server keeps its plan. */
  runPrepared<Row>(client: pg.ClientBase, call: Call<Row>, timeoutMs = this.timeoutMs) {
    return runOn(client, this.statements, call, { timeoutMs, named: this.prepared })
  }

  /** Runs a typed statement in the transaction of a user. */
  runIn<Row>(tx: Queryable, call: Call<Row>): Promise<Row[]> {
    return runIn(tx, this.statements, call)
  }

  async #handshake(client: pg.Client): Promise<void> {
    const sentAtMs = this.localClock.monotonicMs()
    const [greeting] = await this.runOn(client, greet())
    invariant(greeting, 'the server greets')
    const { ms, pid, timeline } = greeting
    if (timeline === null) {
      await client.end()
      throw new PunctualError(
        'database_unavailable',
        'The server is a standby and accepts no writes.',
      )
    }
    this.clock.sample(sentAtMs, ms)
    if (this.#timeline !== null && this.#timeline !== timeline)
      for (const changed of this.onNewTimeline) changed()
    this.#timeline = timeline
    this.#pooled = pid !== client.processID
  }

  /** A dedicated connection (a user's transaction, migrations); the caller ends it. */
  async connect(settings: ConnectSettings = {}): Promise<pg.Client> {
    const client = await this.endpoint.connect(settings)
    await this.#handshake(client)
    return client
  }

  /** Reports what is unusable and was worked around; never throws. */
  fault(where: string, error: unknown): void {
    for (const report of this.onFault) report(where, error)
  }

  async close(): Promise<void> {
    const second = [this.secondClaim, this.secondSettle]
    const readers = [this.control, this.identity, ...this.#browse.all]
    const all = [this.claim, this.settle, ...second, ...readers, this.upkeep, ...this.submit]
    await Promise.all(all.map((channel) => channel.close()))
  }
}
