/**
 * One connection on which calls are sent without waiting for the answers of those before. It connects on
 * first use, and again after a fault; a call that was under way then fails with the connection's error and
 * its effect is unknown. Every call has a deadline.
 *
 * `pinned` runs statements in a transaction of one round trip whose planner settings leave no way but the
 * indexes: a plan made while a table was empty would otherwise scan it when it is full of dead rows. Where a
 * connection is ours alone the settings are made once, and a lone statement is its own transaction; where a
 * pooler may give the next transaction another connection they are local to each.
 */
import type { Writable } from 'node:stream'
import type pg from 'pg'
import type { Endpoint } from './endpoint.ts'
import { isReadOnly } from './faults.ts'
import type { Statement } from './statements.ts'

export type Value = string | number | boolean | Buffer | null | readonly string[]
/** Columns in the order of the statement; every value is text. */
export type Row = readonly (string | null)[]

const PINS = [
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  'enable_material = off',
  'jit = off',
]
const BEGIN = 'begin isolation level read committed'
const PIN_SESSION = [...PINS, "default_transaction_isolation = 'read committed'"]
  .map((pin) => `set ${pin}`)
  .join('; ')
export const PINNED = [BEGIN, ...PINS.map((pin) => `set local ${pin}`)].join('; ')

export interface ChannelOptions {
  readonly endpoint: Endpoint
  readonly timeoutMs: number
  /** False behind a pooler that gives each transaction another connection. */
  readonly prepared: () => boolean
  /** True where the connection is ours alone and used for pinned statements only. */
  readonly pinSession?: () => boolean
  readonly onConnect?: (client: pg.Client) => Promise<void> | void
  readonly onDisconnect?: () => void
  /** Closes the connection after so long without a call. */
  readonly idleMs?: number
}

export class Channel {
  readonly #options: ChannelOptions
  #connecting: Promise<pg.Client> | null = null
  #sessionPinned = false
  #closed = false
  #calls = 0
  #idle: NodeJS.Timeout | undefined

  constructor(options: ChannelOptions) {
    this.#options = options
  }

  async #client(): Promise<pg.Client> {
    if (this.#closed) throw new Error('Client was closed')
    if (!this.#connecting) {
      const connecting = this.#connect()
      this.#connecting = connecting
      connecting.catch(() => this.#forget(connecting))
    }
    return this.#connecting
  }

  async #connect(): Promise<pg.Client> {
    const client = await this.#options.endpoint.connect({ pipeline: true })
    const connecting = this.#connecting
    const gone = () => {
      if (this.#forget(connecting)) this.#options.onDisconnect?.()
    }
    client.once('error', gone)
    client.once('end', gone)
    await this.#options.onConnect?.(client)
    this.#sessionPinned = this.#options.pinSession?.() ?? false
    const query_timeout = this.#options.timeoutMs
    if (this.#sessionPinned)
      await client.query({ text: PIN_SESSION, query_timeout } as pg.QueryConfig)
    return client
  }

  #forget(connecting: Promise<pg.Client> | null): boolean {
    if (this.#connecting !== connecting) return false
    this.#connecting = null
    return true
  }

  /** A connection that nobody uses is closed; the next call opens another. */
  #rest(): void {
    const { idleMs } = this.#options
    if (idleMs === undefined) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      const connecting = this.#connecting
      if (this.#calls > 0 || !connecting) return
      this.#connecting = null
      void connecting.then((client) => client.end()).catch(() => undefined)
    }, idleMs)
    this.#idle.unref()
  }

  #send(client: pg.Client, statement: Statement, values: readonly Value[]): Promise<Row[]> {
    const query = {
      text: statement.text,
      values: values as unknown[],
      rowMode: 'array' as const,
      query_timeout: this.#options.timeoutMs,
      ...(this.#options.prepared() && { name: statement.name }),
    }
    this.#calls++
    return client
      .query(query)
      .then((result) => result.rows as Row[])
      .catch((error) => {
        // It has become a standby: the next call must look for the new primary.
        if (isReadOnly(error)) void client.end().catch(() => undefined)
        throw error
      })
      .finally(() => {
        if (--this.#calls === 0) this.#rest()
      })
  }

  /** Resolves when it is connected, and has met the server; what is sent next goes to that one. */
  async ready(): Promise<void> {
    await this.#client()
  }

  async query(statement: Statement, values: readonly Value[] = []): Promise<Row[]> {
    return this.#send(await this.#client(), statement, values)
  }

  /** Runs statements in one pinned transaction and one round trip; all or none take effect. */
  async pinned(
    steps: readonly { statement: Statement; values: readonly Value[] }[],
  ): Promise<Row[][]> {
    const client = await this.#client()
    const [only, ...others] = steps
    if (this.#sessionPinned && only && others.length === 0)
      return [await this.#send(client, only.statement, only.values)]
    // In one packet: otherwise the server wakes up for each part.
    const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
    stream.cork()
    const begun = client.query(this.#sessionPinned ? BEGIN : PINNED)
    const sent = steps.map((step) => this.#send(client, step.statement, step.values))
    const ended = client.query('commit')
    process.nextTick(() => stream.uncork())
    const answers = await Promise.allSettled([begun, ...sent, ended])
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
    return Promise.all(sent)
  }

  async pinnedOne(statement: Statement, values: readonly Value[]): Promise<Row[]> {
    const [rows] = await this.pinned([{ statement, values }])
    return rows as Row[]
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idle)
    const client = await this.#connecting?.catch(() => null)
    await client?.end()
  }
}
