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
import { BEGIN, LOCAL_PINS, PIN_SESSION, PINNED } from './pins.ts'
import type { Row, Value } from './row.ts'
import type { Statement } from './statements.ts'
import type { OpenTransaction, Transactions } from './transactions.ts'

interface Step {
  readonly statement: Statement
  readonly values: readonly Value[]
}

export type { Row, Value }

export interface ChannelOptions {
  readonly endpoint: Endpoint
  readonly timeoutMs: number
  /** What is asked within one of them is done there, and not on this connection. */
  readonly transactions: Transactions
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
  /** The promise above is kept. */
  #connected = false
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
      connecting.then(
        () => {
          this.#connected = this.#connecting === connecting
          if (this.#calls === 0) this.#rest()
        },
        () => this.#forget(connecting),
      )
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
    this.#connected = false
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
      this.#forget(connecting)
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

  /** This one, once it is connected: until then the other one, which is, and nobody waits for a connection to be made. */
  orUntilConnected(other: Channel): Channel {
    if (this.#connected) return this
    // Should it fail, whoever asks next tries again.
    this.ready().catch(() => undefined)
    return other
  }

  async query(statement: Statement, values: readonly Value[] = []): Promise<Row[]> {
    const within = this.#options.transactions.current
    if (within) return within.query(statement, values)
    const { rowSecurity: wall } = this.#options.transactions
    const client = await this.#client()
    if (wall === null) return this.#send(client, statement, values)
    const [rows] = await this.#together(client, wall, [behind({ statement, values })])
    return rows as Row[]
  }

  /** Runs statements in one pinned transaction and one round trip; all or none take effect. */
  async pinned(steps: readonly Step[]): Promise<Row[][]> {
    const within = this.#options.transactions.current
    if (within) return pinnedWithin(within, steps)
    const { rowSecurity: wall } = this.#options.transactions
    const client = await this.#client()
    if (wall !== null) {
      const begin = this.#sessionPinned ? wall : [wall, LOCAL_PINS].join('; ')
      return this.#together(client, begin, steps.map(behind))
    }
    const [only, ...others] = steps
    if (this.#sessionPinned && only && others.length === 0)
      return [await this.#send(client, only.statement, only.values)]
    return this.#together(client, this.#sessionPinned ? BEGIN : PINNED, steps)
  }

  /** Statements in one transaction that begins like this. */
  async #together(client: pg.Client, begin: string, steps: readonly Step[]): Promise<Row[][]> {
    // In one packet: otherwise the server wakes up for each part.
    const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
    stream.cork()
    const begun = client.query(begin)
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

/** Under a name of its own: the plan of a role that sees less is another one. */
function behind({ statement: { name, text }, values }: Step): Step {
  return { statement: { name: name && `${name}@tenant`, text }, values }
}

async function pinnedWithin(within: OpenTransaction, steps: readonly Step[]): Promise<Row[][]> {
  await within.pin()
  const answers: Row[][] = []
  for (const { statement, values } of steps) answers.push(await within.query(statement, values))
  return answers
}
