/** The audit log through the library: every control write leaves an entry in its transaction. */
import { hostname } from 'node:os'
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Punctual } from '../../src/index.ts'

const HOUR = 3_600_000
let database: TestDatabase
let client: Punctual
let sql: pg.Client
let since: string | null = null

beforeAll(async () => {
  database = await migratedDatabase()
  client = await Punctual.start({ databaseUrl: database.url, roles: [] })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterAll(async () => {
  await client.stop()
  await sql.end()
  await database.drop()
})
beforeEach(async () => {
  since = (await client.audit.list({ limit: 1 }))[0]?.id ?? null
})

/** This test's entries, oldest first. */
async function entries() {
  const all = await client.audit.list({ limit: 1_000 })
  const end = all.findIndex(({ id }) => id === since)
  return (end < 0 ? all : all.slice(0, end)).toReversed()
}
const actions = async () => (await entries()).map(({ action }) => action)
const later = (n = 1) => client.submit('none', { n }, { delayMs: HOUR })

describe('a control write', () => {
  it('a job change records who, what, before and after', async () => {
    const { jobs } = client
    const job = { name: 'audited', handler: 'none', cron: '0 0 1 1 *', payload: { password: 'x' } }
    await jobs.upsert(job)
    await jobs.upsert(job)
    await jobs.change('audited', { priority: 7 })
    await jobs.pause('audited', 'too loud')
    await jobs.pause('audited')
    await jobs.resume('audited')
    await jobs.trigger('audited', { payload: { n: 1 } })
    const [next] = await jobs.preview('audited', { count: 1 })
    await jobs.skip('audited', next?.at as Date)
    await jobs.delete('audited')
    await jobs.delete('audited')
    const all = await entries()
    expect(all.map(({ action }) => action)).toEqual([
      ...['job.create', 'job.update', 'job.pause', 'job.resume', 'job.trigger', 'job.skip'],
      'job.delete',
    ])
    const [created, updated, paused] = all
    expect(created).toMatchObject({
      actor: { kind: 'library', name: `${hostname()}:${process.pid}` },
      tenantId: 1,
      target: { kind: 'job', name: 'audited', id: expect.any(String) },
      before: null,
      after: { handler: 'none', payload: { password: '[redacted]' } },
    })
    expect(updated).toMatchObject({ before: { priority: 5 }, after: { priority: 7 } })
    expect(Object.keys(updated?.after as object).sort()).toEqual(['priority', 'version'])
    expect(paused).toMatchObject({ before: { pausedAt: null }, note: 'too loud' })
    expect(new Set(all.map(({ target }) => target.id)).size).toBe(1)
  })

  it('a declared list leaves an entry for the list, and one for each changed job', async () => {
    const job = (name: string, priority = 5) => ({
      name,
      priority,
      handler: 'x',
      cron: '0 0 * * *',
    })
    await client.jobs.sync('git', [job('a'), job('b')])
    await client.jobs.sync('git', [job('a'), job('b')])
    await client.jobs.sync('git', [job('a', 6)], { prune: true, dryRun: true })
    await client.jobs.sync('git', [job('a', 6)], { prune: true })
    const all = (await entries()).map(({ action, target }) => `${action} ${target.name}`)
    expect(all).toEqual([
      ...['job.sync git', 'job.create a', 'job.create b'],
      ...['job.sync git', 'job.update a', 'job.delete b'],
    ])
  })

  it('a change of a calendar, a queue or a limit leaves an entry', async () => {
    await client.jobs.calendars.set('closed', { exclude: ['2030-12-25'] })
    await client.jobs.calendars.delete('closed')
    await client.queues.pause('mail', { note: 'provider down', by: 'ann' })
    await client.queues.resume('mail')
    await client.queues.resume('mail')
    await client.queues.pauseAll()
    await client.queues.resumeAll()
    await client.limits.set({ queue: 'mail', concurrency: 3 })
    await client.limits.remove('mail')
    const all = await entries()
    expect(all.map(({ action, target }) => `${action} ${target.name}`)).toEqual([
      ...['calendar.set closed', 'calendar.delete closed', 'queue.pause mail', 'queue.resume mail'],
      ...['queue.pause null', 'queue.resume null', 'limit.set mail', 'limit.remove mail'],
    ])
    expect(all[2]).toMatchObject({
      before: null,
      after: { pausedBy: 'ann' },
      note: 'provider down',
    })
    expect(all[6]).toMatchObject({ before: null, after: { concurrency: 3 } })
  })

  it('steering a run leaves an entry', async () => {
    const { id } = await later()
    await client.runs.reprioritise(id, 9)
    await client.runs.reschedule(id, new Date(Date.now() + 2 * HOUR))
    await client.runs.edit(id, { payload: { n: 2 } })
    await client.runs.promote(id)
    await client.runs.cancel(id, 'not needed')
    await client.runs.cancel(id)
    const all = await entries()
    expect(all.map(({ action }) => action)).toEqual([
      ...['run.reprioritise', 'run.reschedule', 'run.edit', 'run.promote', 'run.cancel'],
    ])
    expect(all.every(({ target }) => target.kind === 'run' && target.id === id)).toBe(true)
    expect(all[2]).toMatchObject({ before: { payload: { n: 1 } }, after: { payload: { n: 2 } } })
    expect(all[4]).toMatchObject({
      before: { state: 'queued' },
      after: { state: 'cancelled' },
      note: 'not needed',
    })
  })

  it('steering many runs leaves an entry at the start, and one with its filter and counts', async () => {
    for (let n = 0; n < 3; n++) await client.submit('bulk', n, { delayMs: HOUR })
    await client.runs.cancelMany({ handler: 'bulk' }, { dryRun: true })
    await client.runs.cancelMany({ handler: 'bulk' }, { reason: 'wrong' })
    expect(await entries()).toMatchObject([
      { action: 'run.cancel_many.begin', after: { request: { filter: { handler: 'bulk' } } } },
      {
        action: 'run.cancel_many',
        note: 'wrong',
        after: {
          request: { filter: { handler: 'bulk' } },
          result: { matched: 3, answers: { cancelled: 3 }, complete: true },
        },
      },
    ])
  })

  it('a change of a dead letter or a group leaves an entry', async () => {
    const worker = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
    worker.handler('dies', () => {
      throw new Error('on purpose')
    })
    const ids = await Promise.all(
      [1, 2, 3].map((n) => client.submit('dies', n, { maxAttempts: 1 })),
    )
    await Promise.all(ids.map(({ id }) => client.runs.waitFor(id)))
    await worker.stop()
    const [first, second] = ids.map(({ id }) => id) as [string, string, string]
    const replay = await client.deadLetters.replay(first, { note: 'again' })
    await client.deadLetters.replay(first)
    await client.deadLetters.discard(second, { reason: 'old' })
    await client.deadLetters.replayEach([first, second])
    await client.deadLetters.discardMany({ handler: 'dies' }, { reason: 'all old' })
    const group = await client.groups.submit({ runs: [{ handler: 'none' }], open: true })
    await group.close()
    await group.cancel('enough')
    const all = await entries()
    expect(all.map(({ action }) => action)).toEqual([
      ...['dead_letter.replay', 'dead_letter.discard'],
      ...['dead_letter.replay_many.begin', 'dead_letter.replay_many'],
      'dead_letter.discard_many.begin',
      ...['dead_letter.discard_many', 'group.close', 'group.cancel.begin', 'group.cancel'],
    ])
    expect(all[0]).toMatchObject({
      target: { kind: 'dead_letter', id: first, name: 'dies' },
      after: { replayedAs: (replay as { id: string }).id },
      note: 'again',
    })
    expect(all[3]).toMatchObject({ after: { result: { requested: 2, replayed: 0 } } })
    expect(all[5]).toMatchObject({ after: { result: { discarded: 1 } } })
    expect(all[8]).toMatchObject({ target: { id: group.id }, note: 'enough' })
  })

  it('a change of a worker is in the log of the installation', async () => {
    const worker = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
    worker.handler('any', () => 1)
    await eventually('it is listed', async () => (await client.workers.present()).length === 1)
    const id = (await client.workers.present())[0]?.id as string
    await client.workers.drain(id)
    await client.workers.drain(id)
    await client.workers.activate(id)
    await worker.stop()
    const all = await entries()
    expect(all.map(({ action, tenantId }) => [action, tenantId])).toEqual([
      ['worker.drain', null],
      ['worker.activate', null],
    ])
    expect(all[0]?.target).toMatchObject({
      kind: 'worker',
      id,
      name: `${hostname()}:${process.pid}`,
    })
  })

  it("a tenant's change is in the installation's log, an API key's in the log of its owner", async () => {
    const { id: tenantId } = await client.tenants.create({ name: 'acme', quotas: { jobs: 5 } })
    await client.tenants.update('acme', { quotas: { jobs: 9 } })
    await client.tenants.update('acme', { quotas: { jobs: 9 } })
    await client.tenants.suspend('acme', { note: 'unpaid' })
    await client.tenants.resume('acme')
    const made = await client.apiKeys.create({ name: 'ci', tenant: 'acme', scopes: ['submit'] })
    const next = await client.apiKeys.rotate(made.id)
    await client.apiKeys.revoke(next.id)
    await client.apiKeys.revoke(next.id)
    await client.apiKeys.create({ name: 'root', scopes: ['system'] })
    const all = await entries()
    expect(all.map((entry) => [entry.action, entry.tenantId])).toEqual([
      ...['create', 'update', 'suspend', 'resume'].map((verb) => [`tenant.${verb}`, null]),
      ...['create', 'rotate', 'revoke'].map((verb) => [`api_key.${verb}`, tenantId]),
      ['api_key.create', null],
    ])
    expect(all[1]).toMatchObject({
      before: { quotas: { jobs: 5 } },
      after: { quotas: { jobs: 9 } },
    })
    expect(all[2]).toMatchObject({ target: { name: 'acme' }, note: 'unpaid' })
    for (const { key } of [made, next]) expect(JSON.stringify(all)).not.toContain(key)
  })

  it("a change in the caller's transaction leaves its entry in that transaction", async () => {
    const group = await client.groups.submit({ runs: [{ handler: 'none' }], open: true })
    await sql.query('begin')
    await group.close({ tx: sql })
    await sql.query('rollback')
    expect(await actions()).toEqual([])
    await sql.query('begin')
    await group.close({ tx: sql })
    await sql.query('commit')
    expect(await actions()).toEqual(['group.close'])
  })
})

describe('submitting', () => {
  it('submissions and ends of runs leave no entry', async () => {
    const { id } = await client.submit('none')
    await client.submitMany('none', [1, 2])
    const group = await client.groups.submit({ runs: [{ handler: 'none' }], open: true })
    await group.add([{ handler: 'none' }])
    await client.runs.get(id)
    expect(await actions()).toEqual([])
  })
})

describe('an entry and its change', () => {
  it('an entry and its change exist only together', async () => {
    await client.jobs.upsert({ name: 'atomic', handler: 'x', cron: '0 0 * * *' })
    await sql.query(
      `create function refuse() returns trigger language plpgsql as
       $$ begin raise exception 'no room for entries'; end $$`,
    )
    await sql.query(
      'create trigger refuse before insert on punctual.audit_log execute function refuse()',
    )
    const before = await actions()
    await expect(client.jobs.pause('atomic')).rejects.toThrow('no room for entries')
    await expect(client.queues.pause('atomic')).rejects.toThrow('no room for entries')
    await sql.query('drop trigger refuse on punctual.audit_log')
    expect((await client.jobs.get('atomic'))?.pausedAt).toBeNull()
    expect(await client.queues.pauses()).toEqual([])
    await expect(client.jobs.pause('absent')).rejects.toMatchObject({ code: 'job_not_found' })
    await expect(client.jobs.upsert({ name: 'bad', handler: 'x', cron: 'x' })).rejects.toThrow()
    expect(await actions()).toEqual(before)
  })
})

describe('the actor', () => {
  it('the actor is recorded for each piece of work, also when many act at once', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `queue-${n}`)
    await Promise.all(
      names.map((name) => {
        const who = { kind: 'api_key', id: name, ip: '10.0.0.1', requestId: `r-${name}` } as const
        return client.as(who, async () => {
          await client.queues.pause(name)
          await client.queues.resume(name)
        })
      }),
    )
    const all = await entries()
    expect(all).toHaveLength(40)
    for (const { actor, target } of all)
      expect(actor).toEqual({
        ...{ kind: 'api_key', id: target.name, ip: '10.0.0.1', requestId: `r-${target.name}` },
      })
  })

  it('an invalid actor is refused', () => {
    const as = (actor: object) => () => client.as(actor as never, () => 1)
    expect(as({ kind: 'ghost' })).toThrow(expect.objectContaining({ code: 'invalid_option' }))
    expect(as({ kind: 'cli', name: 'a\nb' })).toThrow(/control characters/)
    expect(as({ kind: 'cli', admin: true })).toThrow(/with kind, id, name, ip, requestId/)
  })

  it('an actor of another tenant is found in the log of that tenant only', async () => {
    await sql.query("insert into punctual.tenants (id, name) values (7, 'seven')")
    const seven = client.tenant(7)
    await seven.queues.pause('mail')
    expect(await seven.audit.list()).toMatchObject([{ action: 'queue.pause', tenantId: 7 }])
    expect(await client.tenant(1).audit.list({ target: 'mail', limit: 1 })).not.toMatchObject([
      { tenantId: 7 },
    ])
    expect(await client.audit.list({ tenantId: 7 })).toHaveLength(1)
    await expect(seven.audit.list({ tenantId: 1 })).rejects.toThrow(/an object with only/)
  })
})

describe('verifying', () => {
  it('verification accepts an unchanged log, once the sealer of any node has run', async () => {
    await client.queues.pause('sealed')
    const node = await Punctual.start({ databaseUrl: database.url, roles: ['janitor'] })
    await eventually('all entries are sealed', async () => {
      const { chains } = await client.audit.verify()
      return chains.every(({ unsealed }) => unsealed === 0)
    })
    await node.stop()
    const { clean, chains } = await client.audit.verify()
    expect(clean).toBe(true)
    const [own] = chains.filter(({ tenantId }) => tenantId === 1)
    const head = { tenantId: 1, ...(own?.head as { seq: number; hash: string }) }
    expect(await client.audit.verify({ tenantId: 1, expect: [head] })).toMatchObject({
      clean: true,
    })
    const other = { ...head, hash: '0'.repeat(64) }
    expect(await client.tenant(1).audit.verify({ expect: [other] })).toMatchObject({
      clean: false,
      chains: [{ fault: { kind: 'unexpected_head', seq: head.seq } }],
    })
  })

  it('verification refuses invalid arguments', async () => {
    const bad = (promise: Promise<unknown>) =>
      expect(promise).rejects.toMatchObject({ code: 'invalid_option' })
    await bad(client.audit.list({ limit: 0 }))
    await bad(client.audit.list({ after: 'x' }))
    await bad(client.audit.list({ action: 'a\u0000' }))
    await bad(client.audit.list({ oops: 1 } as never))
    await bad(client.audit.verify({ tenantId: 0 }))
    await bad(client.audit.verify({ expect: [{ tenantId: 1, seq: 1, hash: 'x' }] }))
  })
})
