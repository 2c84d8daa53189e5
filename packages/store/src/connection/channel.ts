/**
 * One connection that sends each call without waiting for the answers of earlier calls. It connects
 * on first use, and again after a fault; calls in flight then fail with the connection's error, and
 * their effect is unknown. Every call has a deadline.
 *
 * `pinned` runs statements in a transaction of one round trip, with planner settings that allow
 * only index access: a plan made while a table was empty would otherwise scan it when it is full of
 * dead rows. On a connection of this process alone the settings are set once per session, and a
 * lone statement is its own transaction; behind a pooler, which may give the next transaction
 * another connection, they are set locally in each transaction.
 */
import type pg from 'pg'
import type { Cells as Row } from '../sql/cells.ts'
import type { Call, Value } from '../sql/typed.ts'
import type { Ambient } from './ambient.ts'
import { isReadOnly, isStatementTimeout } from './faults.ts'
import type { OpenTransaction } from './open-transaction.ts'
import type { TextQuery } from './pg-augmentation.ts'
import { BEGIN, LOCAL_PINS, PIN_SESSION, PINNED } from './pins.ts'
import type { Endpoint } from './server/endpoint.ts'
import type { Statement, Statements } from './statements.ts'

interface Step {
  readonly statement: Statement
  readonly values: readonly Value[]
}

export type { Row, Value }

export interface ChannelOptions {
  readonly endpoint: Endpoint
  readonly statements: Statements
  readonly timeoutMs: number
  /** A call inside a transaction runs there instead of on this connection. */
  readonly ambient: Ambient
  /** False behind a pooler that gives each transaction another connection. */
  readonly prepared: () => boolean
  /** True when no other process uses the connection and it serves pinned statements only. */
  readonly pinSession?: () => boolean
  readonly onConnect?: (client: pg.Client) => Promise<void> | void
  readonly onDisconnect?: () => void
  /** Closes the connection after this many milliseconds without a call. */
  readonly idleMs?: number
  /** The server ends a statement under row security after this long. @default no other limit */
  readonly tenantMs?: number
  /** Returns the error for a statement that the server ended. @default the error of the server */
  readonly timedOut?: (cause: unknown) => Error
}

export class Channel {
  readonly #options: ChannelOptions
  #connecting: Promise<pg.Client> | null = null
  /** Whether the promise above has resolved. */
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
          if (this.#calls === 0) this.#closeWhenIdle()
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
    if (this.#sessionPinned) await client.query({ text: PIN_SESSION, query_timeout })
    return client
  }

  #forget(connecting: Promise<pg.Client> | null): boolean {
    if (this.#connecting !== connecting) return false
    this.#connecting = null
    this.#connected = false
    return true
  }

  /** Closes a connection without calls after `idleMs`; the next call opens another. */
  #closeWhenIdle(): void {
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
    const query: TextQuery = {
      text: statement.text,
      values,
      rowMode: 'array',
      query_timeout: this.#options.timeoutMs,
      ...(this.#options.prepared() && { name: statement.name }),
    }
    this.#calls++
    return client
      .query(query)
      .then(({ rows }): Row[] => rows)
      .catch((error) => {
        // The server became a standby: the next call must find the new primary.
        if (isReadOnly(error)) void client.end().catch(() => undefined)
        const { timedOut } = this.#options
        throw timedOut && isStatementTimeout(error) ? timedOut(error) : error
      })
      .finally(() => {
        if (--this.#calls === 0) this.#closeWhenIdle()
      })
  }

  /** Resolves once connected and the handshake is done; the next calls go to that server. */
  async ready(): Promise<void> {
    await this.#client()
  }

  /** Returns this channel once it is connected; until then the other one, so that no call waits. */
  orUntilConnected(other: Channel): Channel {
    if (this.#connected) return this
    // If this fails, the next caller tries again.
    this.ready().catch(() => undefined)
    return other
  }

  /** Runs one statement. */
  async run<Row>({ statement, values }: Call<Row>): Promise<Row[]> {
    const rows = await this.query(this.#options.statements.of(statement), values)
    return rows.map(statement.decode)
  }

  /** Runs one statement on the partitions of a day; null lets the server search every day. */
  async runOnDay<Row>({ statement, values }: Call<Row>, dayMs: number | null): Promise<Row[]> {
    const { statements } = this.#options
    const { path } = statement
    const named = dayMs === null ? statements.get(path) : statements.onDay(path, dayMs)
    return (await this.query(named, values)).map(statement.decode)
  }

  /** Runs one statement that the server plans for these values, at the cost of planning it. */
  async runReplanned<Row>({ statement, values }: Call<Row>): Promise<Row[]> {
    const { text } = this.#options.statements.of(statement)
    return (await this.query({ name: '', text }, values)).map(statement.decode)
  }

  /** Runs one statement with planner settings that allow only index access. */
  async runPinned<Row>({ statement, values }: Call<Row>): Promise<Row[]> {
    const [rows = []] = await this.pinned([
      { statement: this.#options.statements.of(statement), values },
    ])
    return rows.map(statement.decode)
  }

  /** Runs statements in one pinned transaction and one round trip; all or none take effect. */
  async runAll<Row>(calls: readonly Call<Row>[]): Promise<Row[][]> {
    const { statements } = this.#options
    const answers = await this.pinned(
      calls.map(({ statement, values }) => ({ statement: statements.of(statement), values })),
    )
    return calls.map(({ statement }, i) => (answers[i] ?? []).map(statement.decode))
  }

  /** Runs two statements in one pinned transaction and one round trip. */
  async runTogether<First, Second>(
    first: Call<First>,
    second: Call<Second>,
  ): Promise<[First[], Second[]]> {
    const { statements } = this.#options
    const steps = [first, second].map(({ statement, values }) => ({
      statement: statements.of(statement),
      values,
    }))
    const [rows = [], others = []] = await this.pinned(steps)
    return [rows.map(first.statement.decode), others.map(second.statement.decode)]
  }

  async query(statement: Statement, values: readonly Value[] = []): Promise<Row[]> {
    const within = this.#options.ambient.transaction
    if (within) return within.query(statement, values)
    const rowSecurity = this.#rowSecurity()
    const client = await this.#client()
    if (rowSecurity === null) return this.#send(client, statement, values)
    const [rows = []] = await this.#transact(client, rowSecurity, [asTenant({ statement, values })])
    return rows
  }

  /** The text that begins a transaction under row security, with the limit of a tenant. */
  #rowSecurity(): string | null {
    const { ambient, tenantMs } = this.#options
    const { rowSecurity } = ambient
    if (rowSecurity === null || tenantMs === undefined) return rowSecurity
    return `${rowSecurity}; set local statement_timeout = ${tenantMs}`
  }

  /** Runs statements in one pinned transaction and one round trip; all or none take effect. */
  async pinned(steps: readonly Step[]): Promise<Row[][]> {
    const within = this.#options.ambient.transaction
    if (within) return pinnedWithin(within, steps)
    const rowSecurity = this.#rowSecurity()
    const client = await this.#client()
    if (rowSecurity !== null) {
      const begin = this.#sessionPinned ? rowSecurity : [rowSecurity, LOCAL_PINS].join('; ')
      return this.#transact(client, begin, steps.map(asTenant))
    }
    const [only, ...others] = steps
    if (this.#sessionPinned && only && others.length === 0)
      return [await this.#send(client, only.statement, only.values)]
    return this.#transact(client, this.#sessionPinned ? BEGIN : PINNED, steps)
  }

  /** Runs the statements in one transaction that starts with `begin`. */
  async #transact(client: pg.Client, begin: string, steps: readonly Step[]): Promise<Row[][]> {
    // Sent as one packet: otherwise the server wakes up for each part.
    const { stream } = client.connection
    stream.cork()
    const begun = client.query(begin)
    const sent = steps.map((step) => this.#send(client, step.statement, step.values))
    const ended = client.query('commit')
    process.nextTick(() => stream.uncork())
    const answers = await Promise.allSettled([begun, ...sent, ended])
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
    return Promise.all(sent)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idle)
    const client = await this.#connecting?.catch(() => null)
    await client?.end()
  }
}

/** Uses a separate statement name: under the tenant role the server makes another plan. */
function asTenant({ statement: { name, text }, values }: Step): Step {
  return { statement: { name: name && `${name}@tenant`, text }, values }
}

async function pinnedWithin(within: OpenTransaction, steps: readonly Step[]): Promise<Row[][]> {
  await within.pin()
  const answers: Row[][] = []
  for (const { statement, values } of steps) answers.push(await within.query(statement, values))
  return answers
}
