/** A client that runs nothing, on a separate database, with checks for tests of refusals. */
import { migratedDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual, PunctualError, type Run, type SubmitCallOptions } from 'punctual'
import { expect } from 'vitest'

export class RefusingClient {
  readonly client: Punctual
  readonly sql: pg.Client
  readonly #drop: () => Promise<void>

  private constructor(client: Punctual, sql: pg.Client, drop: () => Promise<void>) {
    this.client = client
    this.sql = sql
    this.#drop = drop
  }

  static async open(): Promise<RefusingClient> {
    const database = await migratedDatabase()
    const client = await Punctual.start({ databaseUrl: database.url, roles: [] })
    const sql = new pg.Client({ connectionString: database.url })
    await sql.connect()
    await client.submit('good', 'the first makes the lane')
    return new RefusingClient(client, sql, database.drop)
  }

  async close(): Promise<void> {
    await this.sql.end()
    await this.client.stop()
    await this.#drop()
  }

  /** The row counts of the tables that a submission writes to. */
  async stored(): Promise<Record<string, number>> {
    const tables = ['runs', 'queue', 'later', 'live_keys', 'lanes']
    const counts = tables.map((t) => `(select count(*)::int from punctual.${t}) as ${t}`)
    return (await this.sql.query(`select ${counts.join(', ')}`)).rows[0]
  }

  /** Checks that the call is refused, stores nothing, and does not disturb other calls. */
  async refuses(bad: () => Promise<unknown>, expected: object): Promise<PunctualError> {
    const { client } = this
    const { runs = 0, queue = 0, ...rest } = await this.stored()
    const [before, refused, ...parallel] = await Promise.allSettled([
      client.submit('good', 'before'),
      bad(),
      client.submit('good', 'parallel'),
      client.submitMany('good', ['parallel', 'parallel']),
    ])
    await client.submit('good', 'after')
    expect([before, ...parallel].map(({ status }) => status)).toEqual(
      new Array(3).fill('fulfilled'),
    )
    const error = refused.status === 'rejected' ? refused.reason : refused.value
    expect(error).toBeInstanceOf(PunctualError)
    expect(error).toMatchObject(expected)
    expect(await this.stored()).toEqual({ runs: runs + 5, queue: queue + 5, ...rest })
    return error
  }

  /** Submits a run, and reads it back through the public API. */
  async accepts(payload: unknown, options: SubmitCallOptions = {}, handler = 'fine'): Promise<Run> {
    const { id } = await this.client.submit(handler, payload, options)
    const run = await this.client.runs.get(id)
    if (run === null) throw new Error(`run ${id} is not found`)
    return run
  }
}
