/** A store on its own migrated database, with short methods that bring runs into any state. */
import { encodeJson } from '@punctual/core/check'
import type { Clock } from '@punctual/core/clock'
import type { Lane } from '@punctual/core/flow'
import { compileJob, type JobOptions } from '@punctual/core/job'
import type { ClaimedRun, ClaimResult, Settlement } from '@punctual/core/ports'
import { compileOptions, makeSubmission, type SubmitOptions } from '@punctual/core/submit'
import { loadMigrations, PostgresStore, systemClock, systemRandom } from '@punctual/store'
import pg from 'pg'
import {
  createTemplateDatabase,
  createTestDatabase,
  type PostgresMajor,
} from '../postgres/index.ts'
import { plainRun } from './plain-run.ts'

function openStore(url: string, clock: Clock = systemClock, zoneData?: string): PostgresStore {
  return new PostgresStore({
    ...{ url, clock, random: systemRandom, node: systemRandom.token() },
    ...(zoneData !== undefined && { zoneData }),
  })
}

/** A migrated database; cloned from a template, so that it costs milliseconds. */
export async function migratedDatabase(major: PostgresMajor = 18) {
  const key = loadMigrations()
    .map((m) => m.checksum)
    .join()
  const template = await createTemplateDatabase({
    major,
    key: `migrated ${key} ${new Date().toISOString().slice(0, 10)}`,
    fill: async (url) => {
      const store = openStore(url)
      await store.migrate()
      await store.close()
    },
  })
  return createTestDatabase({ major, template })
}

export class TestStore {
  readonly url: string
  readonly store: PostgresStore
  readonly sql: pg.Client
  readonly #drop: () => Promise<void>
  readonly #others: PostgresStore[] = []

  private constructor(url: string, sql: pg.Client, drop: () => Promise<void>) {
    this.url = url
    this.store = openStore(url)
    this.sql = sql
    this.#drop = drop
  }

  static async open(options: { major?: PostgresMajor } = {}): Promise<TestStore> {
    const database = await migratedDatabase(options.major)
    const sql = new pg.Client({ connectionString: database.url })
    sql.on('error', () => undefined)
    await sql.connect()
    return new TestStore(database.url, sql, database.drop)
  }

  /** A second process on the same database, with its own clock and time zone data. */
  another(clock?: Clock, zoneData?: string): PostgresStore {
    const store = openStore(this.url, clock, zoneData)
    this.#others.push(store)
    return store
  }

  async submit(
    options: SubmitOptions & { handler?: string; payload?: unknown } = {},
  ): Promise<string> {
    const { handler = 'test', payload = { n: 1 }, ...rest } = options
    const submission = makeSubmission(compileOptions(handler, rest), encodeJson(payload))
    const [accepted] = await this.store.submit([submission])
    return (accepted as { id: string }).id
  }

  /** Registers or changes a job that fires every second by default; returns its id. */
  async job(options: Partial<JobOptions> = {}, store = this.store): Promise<string> {
    const timed = ['cron', 'every', 'everyAfterEnd', 'at', 'delayMs'].some(
      (option) => option in options,
    )
    const job = { name: 'job', handler: 'test', ...(!timed && { cron: '* * * * * *' }), ...options }
    const compiled = compileJob(job, { timezone: 'UTC', jitterMs: 0 })
    const [result] = await store.schedules.jobs.upsert([compiled], 1)
    return (result as { id: string }).id
  }

  /** Moves the job's creation back by `ms`: the slots it missed since then are still undecided. */
  async age(jobId: string, ms: number): Promise<void> {
    const back = `$2::bigint * interval '1 millisecond'`
    await this.sql.query(
      `update punctual.cursors set next_at = date_trunc('second', next_at) - ${back},
       cursor_at = cursor_at - ${back}, anchor_at = anchor_at - ${back} where job_id = $1`,
      [jobId, ms],
    )
    await this.sql.query(
      `update punctual.jobs set created_at = created_at - ${back} where id = $1`,
      [jobId, ms],
    )
  }

  async session(leaseMs = 30_000, store = this.store): Promise<string> {
    const id = systemRandom.token()
    await store.work.openSession({
      id,
      host: 'test',
      pid: 1,
      version: '0',
      handlers: ['test'],
      queues: [],
      labels: {},
      capacity: 10,
      leaseMs,
    })
    return id
  }

  lanes(store = this.store): Promise<readonly Lane[]> {
    return store.work.lanes(['test', 'other'], [])
  }

  async claim(sessionId: string, limit = 1, store = this.store): Promise<ClaimResult> {
    const lanes = await this.lanes(store)
    const request = { sessionId, fence: systemRandom.token(), limit, lanes }
    const result = await store.work.claim(request)
    return { ...result, runs: result.runs.map(plainRun) }
  }

  /** Submits, claims and returns one run that the session holds. */
  async running(sessionId: string, options: SubmitOptions = {}): Promise<ClaimedRun> {
    const id = await this.submit(options)
    const { runs } = await this.claim(sessionId, 100)
    const run = runs.find((claimed) => claimed.id === id)
    if (!run) throw new Error(`run ${id} was not claimed`)
    return run
  }

  /** Expires a session's lease, as if its process had gone silent. */
  async expire(sessionId: string): Promise<void> {
    await this.sql.query(
      `update punctual.sessions set expires_at = clock_timestamp() - interval '1 second' where id = $1`,
      [sessionId],
    )
  }

  async reap(sessionIds: readonly string[], crashesUntilQuarantine = 3) {
    return this.store.upkeep.reap(sessionIds, crashesUntilQuarantine)
  }

  /** The tables that hold a run: exactly one, always. */
  async places(id: string): Promise<string[]> {
    const { rows } = await this.sql.query(
      ['later', 'queue', 'parked', 'leases', 'outcomes']
        .map((place) => `select '${place}' as place from punctual.${place} where run_id = $1`)
        .join(' union all '),
      [id],
    )
    return rows.map((row) => row.place)
  }

  /**
   * Deletes all waiting and leased runs from their places, with their keys and holds, so that the
   * next test does not see them. Rolls back a transaction that a failed test left open.
   */
  async emptyPlaces(): Promise<void> {
    await this.sql.query('rollback')
    const places = ['later', 'queue', 'parked', 'leases', 'live_keys', 'job_holds', 'gated']
    await this.sql.query(places.map((place) => `delete from punctual.${place}`).join(';'))
  }

  async count(table: string): Promise<number> {
    const { rows } = await this.sql.query(`select count(*)::int as n from punctual.${table}`)
    return rows[0].n
  }

  async close(): Promise<void> {
    await Promise.all([this.store, ...this.#others].map((store) => store.close()))
    await this.sql.end()
    await this.#drop()
  }
}

export function succeeded(run: ClaimedRun, output: string | null = null): Settlement {
  return { kind: 'succeeded', run, startedAgoMs: 1, output }
}

export function retry(run: ClaimedRun, delayMs = 0): Settlement {
  const failure = { name: 'Error', message: 'failed on purpose' }
  return { kind: 'retry', run, startedAgoMs: 1, outcome: 'failed', failure, delayMs }
}

/** The target accepted the work and reports the outcome later. */
export function awaiting(run: ClaimedRun, timeoutMs = 60_000): Settlement {
  return { kind: 'awaiting', run, startedAgoMs: 1, timeoutMs, statusUrl: null }
}

export function dead(run: ClaimedRun): Settlement {
  const failure = { name: 'Error', message: 'failed on purpose' }
  return {
    kind: 'dead',
    run,
    startedAgoMs: 1,
    outcome: 'failed',
    failure,
    reason: 'attempts_exhausted',
  }
}

/** A random fence. */
export const systemRandomToken = (): string => systemRandom.token()
