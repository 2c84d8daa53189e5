/** The "after" programs of the migration guides: each one runs unchanged. */
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sourceFiles } from '../tidy/source-files.ts'
import { runDocProgram } from './doc-program.ts'

const FOLDER = 'docs/guides/coming-from/'
let database: TestDatabase

beforeEach(async () => {
  database = await migratedDatabase()
  vi.stubEnv('DATABASE_URL', database.url)
})
afterEach(() => database.drop())
afterAll(() => vi.unstubAllEnvs())

const guides = [
  { name: 'bullmq', prints: '{"sentTo":"ada@example.com"}', job: 'digest' },
  { name: 'pg-boss', prints: 'charging c-17', job: 'invoices' },
  { name: 'graphile-worker', prints: '{"greeted":"Ada"}', job: 'greet-the-world' },
  { name: 'agenda', prints: 'reporting to ada@example.com', job: 'weekly-report' },
  { name: 'node-cron', prints: 'backing up', job: 'backup' },
  { name: 'sidekiq', prints: 'sending to ada@example.com', job: undefined },
]

test('every guide has its program', () => {
  const pages = sourceFiles().filter((path) => path.startsWith(FOLDER))
  const expected = [...guides.map(({ name }) => name), 'README']
  expect(pages.sort()).toEqual(expected.map((name) => `${FOLDER}${name}.md`).sort())
})

test.for(guides)(
  'the program after $name does what the guide says',
  async ({ name, prints, job }) => {
    expect(await runDocProgram(`${FOLDER}${name}.md`, `after-${name}.ts`)).toEqual([prints])
    const punctual = await Punctual.start({ roles: [] })
    const jobs = await punctual.jobs.list()
    const dead = await punctual.runs.list({ states: ['dead'] })
    await punctual.stop()
    expect(jobs.map((listed) => listed.name)).toEqual(job === undefined ? [] : [job])
    expect(dead).toEqual([])
  },
)
