/** Groups on the command line. */
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Punctual } from '../../src/index.ts'
import { cli } from '../kit/cli-process.ts'

let database: TestDatabase
let client: Punctual
let env: Record<string, string>

beforeAll(async () => {
  database = await migratedDatabase()
  env = { DATABASE_URL: database.url }
  client = await Punctual.start({ databaseUrl: database.url, roles: ['reaper'] })
})
afterAll(async () => {
  await client.stop()
  await database.drop()
})

test('a group is listed, shown and cancelled', async () => {
  const later = { handler: 'none', options: { delayMs: 3_600_000 } }
  const runs = [later, later]
  const group = await client.groups.submit({ name: 'import 17', runs, open: true })
  const [list, shown] = await Promise.all([
    cli(['groups', '--not-done'], { env }),
    cli(['groups', 'show', group.id], { env }),
  ])
  expect(list.stdout).toMatch(new RegExp(`${group.id} +import 17 +open +2 `))
  expect(shown.stdout).toMatch(/open: runs can be added[\s\S]*0 of 2 \(0 %\)\n +2 scheduled/)
  const cancelled = await cli(['groups', 'cancel', group.id, '--reason', 'a test'], { env })
  expect(cancelled.stdout).toBe('2 cancelled; 0 running, whose handlers were signalled to stop.\n')
  await group.done()
  const done = await cli(['groups', 'show', group.id, '--json'], { env })
  expect(JSON.parse(done.stdout)).toMatchObject({ done: true, counts: { cancelled: 2 }, ended: 2 })
})

test('an unknown group and contradictory flags are refused', async () => {
  const unknown = '019a8f3c-1c7e-7000-8000-0000000000a1'
  const [gone, twice] = await Promise.all([
    cli(['groups', 'cancel', unknown], { env }),
    cli(['groups', 'list', '--done', '--not-done'], { env }),
  ])
  expect([gone.code, gone.stderr]).toEqual([4, expect.stringMatching(/^error\[group_not_found\]/)])
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('exclude each other')])
})
