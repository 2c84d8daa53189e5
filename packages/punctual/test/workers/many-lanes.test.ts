/** A worker with many lanes claims from those that have runs. */
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

const LANES = 500

let database: TestDatabase
beforeAll(async () => {
  database = await migratedDatabase()
})
afterAll(() => database.drop())

it('runs in a few of 500 lanes are executed by claims that name a few lanes', async () => {
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  onTestFinished(() => sql.end())
  await sql.query(
    `insert into punctual.lanes (tenant_id, queue, handler, priority)
     select 1, 'queue ' || i, 'many', 5 from generate_series(1, $1::integer) i`,
    [LANES],
  )
  const punctual = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
  onTestFinished(() => punctual.stop())
  const claims: number[] = []
  const { work } = punctual.store
  const claim = work.claim.bind(work)
  work.claim = (request) => {
    claims.push(request.lanes.length)
    return claim(request)
  }
  const ran: string[] = []
  const handler = punctual.handler('many', (payload) => void ran.push(String(payload)))
  await eventually('it listens', () => punctual.store.signals.connected)
  for (const queue of ['queue 3', 'queue 300', 'queue 3', 'a new queue'])
    await handler.submit(queue, { queue })
  await handler.submit('later', { queue: 'queue 9', delayMs: 300 })
  await eventually('all ran', () => ran.length === 5)
  expect(ran.toSorted()).toEqual(['a new queue', 'later', 'queue 3', 'queue 3', 'queue 300'])
  expect(Math.max(...claims)).toBeLessThan(10)
})
