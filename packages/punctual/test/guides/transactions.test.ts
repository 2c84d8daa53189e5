/** Runs the examples of the guide to transactions as printed. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
let t: TestStore
let folder: string

beforeAll(async () => {
  t = await TestStore.open()
  folder = await mkdtemp(join(tmpdir(), 'punctual-guide-'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await t.close()
})

/** A program that prepares what the examples use, and runs them one after the other. */
function program(examples: readonly string[]): string {
  return `
import { Punctual } from 'punctual'
const punctual = await Punctual.start({ roles: [] })
const sendEmail = punctual.handler('send-email', () => undefined)
Object.assign(globalThis, { punctual, sendEmail })
for (const name of ${JSON.stringify(examples)}) await import('./' + name)
await punctual.stop()
process.exit(0)
`
}

it('each example commits its write and its submission together', async () => {
  const guide = await readFile(join(root, 'docs/guides/transactions.md'), 'utf8')
  const blocks = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string)
  expect(blocks).toHaveLength(4)
  await t.sql.query('create table users (email text)')
  const names = blocks.map((_, i) => `example-${i}.mts`)
  for (const [i, name] of names.entries()) await writeFile(join(folder, name), blocks[i] as string)
  await writeFile(join(folder, 'main.mts'), program(names))
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'main.mts'], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: t.url, NODE_OPTIONS: '' },
  })
  const users = await t.sql.query('select email from users order by email')
  const runs = await t.sql.query(
    `select payload::json ->> 'to' as email from punctual.runs join punctual.queue on run_id = id order by email`,
  )
  expect(users.rows.map(({ email }) => email)).toEqual(
    ['ada', 'bob', 'eve', 'kim'].map((name) => `${name}@example.com`),
  )
  expect(runs.rows).toEqual(users.rows)
})
