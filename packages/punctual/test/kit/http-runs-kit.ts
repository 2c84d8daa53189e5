/** Runs over HTTP, with handlers that succeed, die and wait, for the tests of their routes. */
import { eventually } from '@punctual/testkit'
import { NonRetryableError } from 'punctual'
import { expect } from 'vitest'
import { HttpKit } from './http-kit.ts'

const ACME = 2
export const LATER = '2035-01-01T00:00:00Z'
let n = 0
/** A unique name for a queue or handler. */
export const name = (what: string) => `${what}_${++n}`

export class RunsKit {
  readonly http: HttpKit
  /** A key of another tenant. */
  readonly rival: string

  private constructor(http: HttpKit, rival: string) {
    this.http = http
    this.rival = rival
  }

  static async open(): Promise<RunsKit> {
    const http = await HttpKit.open({ roles: ['worker', 'planner'] })
    const { punctual } = http
    punctual.handler('fine', async ({ lines = 0 }: { lines?: number }, ctx) => {
      for (let i = 0; i < lines; i++) ctx.log.info(`line ${i}`, { i })
      return { camelCase: lines }
    })
    punctual.handler('dies', () => {
      throw new NonRetryableError('no luck with order 4711')
    })
    punctual.handler('waits', async (_, { signal }) => {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error())))
    })
    return new RunsKit(http, await http.keyFor('rival', 'admin'))
  }

  readonly submit = async (body: object): Promise<string> => {
    const { status, body: answer } = await this.http.post('/runs', body)
    expect(status).toBe(201)
    return answer.id
  }

  readonly stateOf = async (id: string): Promise<string> =>
    (await this.http.get(`/runs/${id}`)).body.state

  readonly become = (id: string, state: string): Promise<void> =>
    eventually(`${id} is ${state}`, async () => (await this.stateOf(id)) === state)

  /** An at-most-once run whose worker was lost. */
  readonly anUnknownRun = async (handler: string): Promise<string> => {
    const id = await this.submit({ handler, delivery: 'at-most-once', run_at: LATER })
    const client = await this.http.punctual.store.database.connect()
    try {
      await client.query(
        `with gone as (delete from punctual.later where run_id = $1 returning run_id, lane)
         insert into punctual.outcomes (run_id, tenant_id, state, lane, attempt, crashes, finished_at)
         select run_id, ${ACME}, 5, lane, 1, 1, now() from gone`,
        [id],
      )
    } finally {
      await client.end()
    }
    return id
  }
}
