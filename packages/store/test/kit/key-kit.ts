/** Submissions with keys, and the state of their runs. */
import type { ClaimedRun } from '@punctual/core/ports'
import { compileOptions, makeSubmission, type SubmitOptions } from '@punctual/core/submit'
import type { Accepted, PostgresStore, Queryable } from '@punctual/store'
import { retry, type TestStore } from '@punctual/testkit'

export const FAR = 3_600_000

type Item = readonly [SubmitOptions, unknown]

export class KeyKit {
  readonly t: TestStore
  #keys = 0

  constructor(t: TestStore) {
    this.t = t
  }

  /** A key that no other test uses. */
  key(): string {
    return `key ${++this.#keys}`
  }

  async submit(
    options: SubmitOptions,
    payload: unknown = 1,
    store: PostgresStore = this.t.store,
  ): Promise<Accepted> {
    const submission = makeSubmission(compileOptions('test', options), JSON.stringify(payload))
    const [accepted] = await store.submit([submission])
    return accepted as Accepted
  }

  submitMany(items: readonly Item[], tx?: Queryable) {
    const submissions = items.map(([options, payload]) =>
      makeSubmission(compileOptions('test', options), JSON.stringify(payload)),
    )
    return this.t.store.submit(submissions, tx ? { tx } : {})
  }

  /** Creates a run with a key in each place where the next submission of that key can find it. */
  readonly holders = {
    'in queue': (key: string) => this.submit({ key }, 'old').then(({ id }) => id),
    'in later': (key: string) => this.submit({ key, delayMs: FAR }, 'old').then(({ id }) => id),
    'in parked': async (key: string) => {
      const concurrency = { key: `gate of ${key}` }
      await this.running({ concurrency })
      return (await this.submit({ key, concurrency }, 'old')).id
    },
    running: async (key: string) => (await this.running({ key })).run.id,
    'waiting for its next attempt': async (key: string) => {
      const { run, session } = await this.running({ key })
      await this.t.store.work.settle(session, [retry(run, FAR)])
      return run.id
    },
  } as const

  async running(options: SubmitOptions): Promise<{ run: ClaimedRun; session: string }> {
    const session = await this.t.session()
    const { id } = await this.submit({ ...options, priority: 10 }, 'old')
    const run = (await this.t.claim(session, 1_000)).runs.find((claimed) => claimed.id === id)
    if (!run) throw new Error(`run ${id} was not claimed`)
    return { run, session }
  }

  async run(id: string) {
    const run = await this.t.store.runs.find(id)
    if (!run) throw new Error(`run ${id} does not exist`)
    return run
  }

  async payload(id: string): Promise<unknown> {
    return (await this.run(id)).payload
  }

  /** Time until the run is due, by the database's clock. */
  async dueInMs(id: string): Promise<number> {
    const { rows } = await this.t.sql.query(
      'select extract(epoch from due_at - clock_timestamp())::float8 * 1000 as ms from punctual.runs where id = $1',
      [id],
    )
    return rows[0].ms
  }

  async holder(key: string): Promise<string | null> {
    const { rows } = await this.t.sql.query(
      'select run_id from punctual.live_keys where key = $1',
      [key],
    )
    return rows[0]?.run_id ?? null
  }

  /**
   * Violations: a key on two live runs, a live run that does not hold its key, a held key of a run
   * that has ended.
   */
  async broken(): Promise<unknown[]> {
    const { rows } = await this.t.sql.query(`
      with live as (
        select run_id from punctual.queue union all select run_id from punctual.later
        union all select run_id from punctual.parked union all select run_id from punctual.leases
      )
      select 'twice' as what, key from punctual.runs join live on run_id = id where key is not null
      group by key having count(*) > 1
      union all
      select 'not held', r.key from punctual.runs r join live on run_id = id
      where r.key is not null
        and not exists (select from punctual.live_keys k where k.run_id = r.id and k.key = r.key)
      union all
      select 'not live', k.key from punctual.live_keys k
      where not exists (select from live where run_id = k.run_id)
      union all
      select 'two places', run_id::text from live group by run_id having count(*) > 1`)
    return rows
  }
}
