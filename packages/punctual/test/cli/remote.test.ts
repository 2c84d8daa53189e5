/** The command line on a server: the built program over real HTTP, without access to the database. */
import { gate } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cli } from '../kit/cli-process.ts'
import { HttpKit } from '../kit/http-kit.ts'

let kit: HttpKit
const release = gate()

beforeAll(async () => {
  kit = await HttpKit.open()
  kit.punctual.handler('send', async (payload, ctx) => {
    ctx.log.info('sending', { payload })
    return payload
  })
  kit.punctual.handler('die', async () => {
    throw new Error('no such file')
  })
  kit.punctual.handler('wait', async () => {
    await release.opened
  })
})
afterAll(async () => {
  release.open()
  await kit.close()
})

const env = () => ({ PUNCTUAL_SERVER: kit.url, PUNCTUAL_API_KEY: kit.admin })
const remote = (...args: string[]) => cli(args, { env: env() })
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await cli([...args, '--json'], { env: env() })
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

describe('jobs', () => {
  test('are created, listed, shown, paused, resumed, triggered and deleted', async () => {
    const created = await remote(
      ...['jobs', 'create', 'nightly', '--handler', 'send', '--cron', '0 2 * * *'],
      ...['--tz', 'Europe/Berlin', '--payload', '{"a":1}'],
    )
    expect([created.code, created.stderr]).toEqual([0, ''])
    expect(created.stdout).toMatch(/^Created nightly \(.*\n.*LOCAL TIME \(Europe\/Berlin\)/)
    const listed = await remote('jobs', 'list')
    expect(listed.stdout).toMatch(/nightly +active +0 2 \* \* \* +Europe\/Berlin +in /)
    const paused = await remote('jobs', 'pause', 'nightly', '--note', 'holiday')
    expect(paused.stdout).toBe('Paused nightly.\n')
    expect((await remote('jobs', 'show', 'nightly')).stdout).toMatch(/state +paused\nwhy +holiday/)
    const resumed = await remote('jobs', 'resume', 'nightly')
    expect(resumed.stdout).toMatch(/^Resumed nightly\./)
    expect(await json('jobs', 'trigger', 'nightly')).toMatchObject({ id: expect.any(String) })
    expect((await remote('jobs', 'delete', 'nightly')).stdout).toBe('Deleted nightly.\n')
    const gone = await remote('jobs', 'show', 'nightly')
    expect([gone.code, gone.stderr.split(':')[0]]).toEqual([4, 'error[job_not_found]'])
  })
})

describe('runs', () => {
  test('are submitted, waited for, listed, shown, and their logs read', async () => {
    const done = await remote('submit', 'send', '{"to":"a@b.c"}', '--wait', '--priority', '7')
    expect([done.code, done.stdout]).toEqual([
      0,
      expect.stringMatching(/^succeeded after 1 attempt, .*\n\{"to":"a@b.c"\}\n$/),
    ])
    const [run] = await json('runs', 'list', '--handler', 'send', '--limit', '1')
    const [shown, logs, tail] = await Promise.all(
      ['show', 'logs', 'tail'].map((command) => remote('runs', command, run.id)),
    )
    expect(shown?.stdout).toMatch(/state +succeeded\nhandler +send \(queue default, priority 7\)/)
    expect(shown?.stdout).toMatch(/info +sending/)
    expect(logs?.stdout).toMatch(/#1 info +sending/)
    expect([tail?.code, tail?.stderr]).toEqual([
      0,
      expect.stringMatching(/succeeded after 1 attempt/),
    ])
  })

  test('are cancelled, one or all that match', async () => {
    const submit = async (run: object) =>
      (await kit.post('/runs', { handler: 'send', ...run })).body.id
    const id = await submit({ delay: '1h' })
    await Promise.all([1, 2].map(() => submit({ delay: '1h', queue: 'later' })))
    const ended = await submit({})
    const [one, dry] = await Promise.all([
      remote('runs', 'cancel', id),
      json('runs', 'cancel', '--queue', 'later', '--dry-run'),
    ])
    expect(one.stdout).toBe('Cancelled.\n')
    expect(dry).toMatchObject({ matched: 2, dryRun: true, complete: true })
    const many = await json('runs', 'cancel', '--queue', 'later')
    expect(many).toMatchObject({ answers: { cancelled: 2 } })
    const late = await remote('runs', 'cancel', ended)
    expect([late.code, late.stdout]).toEqual([1, expect.stringContaining('has already ended')])
  })
})

describe('dead letters and queues', () => {
  test('dead letters are listed and replayed once', async () => {
    const dead = await remote('submit', 'die', '--max-attempts', '1', '--wait')
    expect(dead.code).toBe(5)
    const [deadLetter] = await json('dead', 'list', '--handler', 'die')
    expect(deadLetter).toMatchObject({ error: { message: 'no such file' } })
    const replayed = await remote('dead', 'replay', deadLetter.id, '--note', 'again')
    expect(replayed.stdout).toMatch(/^Submitted /)
    const [again, paced] = await Promise.all([
      remote('dead', 'replay', deadLetter.id),
      remote('dead', 'replay', '--all', '--canary', '1'),
    ])
    expect([again.code, again.stdout]).toEqual([1, expect.stringMatching(/^Already replayed as /)])
    expect([paced.code, paced.stderr.split(':')[0]]).toEqual([2, 'error[not_over_http]'])
  })

  test('queues are listed', async () => {
    await kit.post('/runs', { handler: 'wait', queue: 'held' })
    expect((await remote('queues')).stdout).toMatch(/QUEUE +DUE[\s\S]*held/)
  })
})

describe('refusals', () => {
  test('a command that needs the database refuses the flag and the variable', async () => {
    const [flag, variable, node] = await Promise.all([
      cli(['workers', '--server', kit.url]),
      remote('tenants', 'list'),
      cli(['migrate', '--server', kit.url]),
    ])
    for (const { code, stderr } of [flag, variable, node])
      expect([code, stderr.split(':')[0]]).toEqual([2, 'error[not_over_http]'])
    expect(variable.stderr).toContain('PUNCTUAL_SERVER names a server')
  })

  test('an invalid key is reported, and never shown', async () => {
    const other = await kit.keyFor('acme', 'read')
    const [refused, cut, shown] = await Promise.all([
      cli(['submit', 'send', '--server', kit.url, '--api-key', other]),
      cli(['queues', '--server', kit.url, '--api-key', other.slice(0, -1)]),
      cli(['config', 'show', '--server', kit.url, '--api-key', other]),
    ])
    expect([refused.code, refused.stderr.split(':')[0]]).toEqual([1, 'error[forbidden]'])
    expect([cut.code, cut.stderr.split(':')[0]]).toEqual([2, 'error[invalid_config]'])
    expect(shown.stdout).toMatch(/apiKey +\S+… +flag --api-key/)
    const secret = other.slice(-20)
    expect([refused, cut, shown].map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain(
      secret,
    )
  })

  test('a server that does not answer is reported as unreachable', async () => {
    const { code, stderr } = await cli(['queues', '--server', 'http://127.0.0.1:1'])
    expect([code, stderr.split(':')[0]]).toEqual([1, 'error[server_unreachable]'])
  })
})
