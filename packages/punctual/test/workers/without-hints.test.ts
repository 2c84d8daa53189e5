/** Hints only ever shorten a sleep: polling finds everything without them. */
import { compileJob } from '@punctual/core/job'
import { compileOptions } from '@punctual/core/submit'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { eventually, gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

let database: TestDatabase
beforeAll(async () => {
  database = await migratedDatabase()
})
afterAll(() => database.drop())

/** A process that commits and dies before it can send a hint. */
function mute(): PostgresStore {
  const store = new PostgresStore({
    ...{ url: database.url, clock: systemClock, random: systemRandom, node: 'mute' },
  })
  store.signals.due = () => undefined
  store.signals.jobsChanged = () => undefined
  store.signals.anything = () => undefined
  onTestFinished(() => store.close())
  return store
}

it.for([
  ['in a known lane', 'quiet', {}],
  ['in a new lane, which has a separate hint', 'fresh', { priority: 9, queue: 'unseen' }],
] as const)(
  'an idle worker runs a run without a hint: %s (cases 2, 62)',
  async ([, name, options]) => {
    const punctual = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
    onTestFinished(() => punctual.stop())
    let heard = gate<string>()
    const handler = punctual.handler(name, (payload) => heard.open(String(payload)))
    await handler.submit('warm')
    await heard.opened
    heard = gate<string>()
    await eventually('it listens', () => punctual.store.signals.connected)
    await mute().submit([{ options: compileOptions(name, options), payload: '"unheard"' }])
    expect(await heard.opened).toBe('unheard')
  },
)

it('a job without a hint is planned and run (case 2)', async () => {
  const roles = ['worker', 'planner'] as const
  const punctual = await Punctual.start({ databaseUrl: database.url, roles: [...roles] })
  onTestFinished(() => punctual.stop())
  const ran = gate()
  punctual.handler('unplanned', () => ran.open())
  const store = mute()
  const at = new Date(Date.now() + 500)
  const job = { name: 'unheard', handler: 'unplanned', at }
  await store.schedules.jobs.upsert([compileJob(job, { timezone: 'UTC', jitterMs: 0 })], 1)
  await ran.opened
})
