/** Runs with shell targets: a real worker, a real database and real processes. */

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FinishedRun } from '@punctual/core/run'
import type { ShellTarget } from '@punctual/core/target'
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Punctual, type SubmitCallOptions } from '../../src/index.ts'

let database: TestDatabase
let punctual: Punctual
beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({
    databaseUrl: database.url,
    secretsKey: randomBytes(32).toString('base64'),
    worker: { targets: ['handler', 'shell'] },
  })
})
afterAll(async () => {
  await punctual?.stop({ drainMs: 0 })
  await database?.drop()
})

const script = (command: string): ShellTarget => ({ kind: 'shell', shell: true, command })
const submit = async (target: ShellTarget, payload: unknown, options: SubmitCallOptions = {}) =>
  (await punctual.submit(target, payload, options)).id
const perform = async (...given: Parameters<typeof submit>): Promise<FinishedRun> =>
  punctual.runs.waitFor(await submit(...given), { timeoutMs: 20_000 })
const logOf = async (id: string) =>
  (await punctual.runs.logs(id)).map(({ level, message }) => `${level} ${message}`)

const seconds = () => `${80_000 + Math.floor(Math.random() * 9_000)}.${process.pid}`
const isSleeping = (text: string) =>
  readdirSync('/proc').some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
    } catch {
      return false
    }
  })

test('a run with a shell target keeps its result, its log and its failure', async () => {
  const echo = script('echo reading >&2; cat; echo; echo "{\\"sum\\": 3}"')
  const run = await perform(echo, { a: 1 })
  expect(run).toMatchObject({ state: 'succeeded', output: { sum: 3 } })
  const lines = await logOf(run.id)
  // Two streams have no order between them.
  expect(lines.filter((line) => line.startsWith('info'))).toEqual([
    'info {"a":1}',
    'info {"sum": 3}',
  ])
  expect(lines.filter((line) => line.startsWith('warn'))).toEqual(['warn reading'])
  const failed = await perform(script('echo no disk >&2; exit 9'), null, { maxAttempts: 1 })
  expect(failed).toMatchObject({
    state: 'dead',
    error: { code: 'exit_9', message: expect.stringMatching(/no disk/) },
  })
})

test('a cancelled run ends within a second with all processes of its command', async () => {
  const time = seconds()
  const id = await submit(script(`trap "" TERM; echo ready; sleep ${time}; sleep ${time}`), null)
  await eventually('the command runs', async () => (await logOf(id)).includes('info ready'))
  const cancelledMs = performance.now()
  await punctual.runs.cancel(id)
  expect(await punctual.runs.waitFor(id)).toMatchObject({ state: 'cancelled' })
  expect(performance.now() - cancelledMs).toBeLessThan(2_000)
  expect(isSleeping(`sleep ${time}`)).toBe(false)
})

test('a command that takes too long ends at the timeout of its run', async () => {
  const time = seconds()
  const options = { timeoutMs: 300, maxAttempts: 1 }
  const run = await perform(script(`sleep ${time}`), null, options)
  expect(run).toMatchObject({
    state: 'dead',
    error: { code: 'stopped', message: expect.stringMatching(/than 300 ms/) },
  })
  expect(isSleeping(`sleep ${time}`)).toBe(false)
})

test('a secret of several lines is in no line of the log, no output and no failure', async () => {
  const key = '-----BEGIN KEY-----\nc29tZSBzZWNyZXQ=\n-----END KEY-----'
  await punctual.secrets.set('deploy', key)
  const target = { ...script('echo "$KEY"; echo "$KEY" >&2'), env: { KEY: '{{secret.deploy}}' } }
  const run = await perform(target, null)
  expect(run.state).toBe('succeeded')
  expect(JSON.stringify([run, await logOf(run.id)])).not.toContain('c29tZSBzZWNyZXQ')
})
