/** Identity is separate from reads, and slow lists of one tenant stop neither others nor logins. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CONNECTIONS_OF_A_NODE } from '../../src/doctor/judge-guarantees.ts'

let t: TestStore
let acme: number
let rival: number
/** A node whose limits of statements are short. */
let store: PostgresStore
/** Holds locks that make reads wait. */
let blocker: pg.Client

beforeAll(async () => {
  t = await TestStore.open()
  await t.store.check()
  const create = async (name: string) =>
    (await t.store.tenants.create(name, { note: null, by: null })).id
  acme = await create('acme')
  rival = await create('rival')
  store = new PostgresStore({
    ...{ url: t.url, clock: systemClock, random: systemRandom, node: 'short' },
    ...{ timeoutMs: 6_000, tenantReadMs: 700 },
  })
  await store.check()
  blocker = await t.store.database.connect()
})
afterAll(async () => {
  await blocker.end()
  await store.close()
  await t.close()
})

const listJobs = (tenantId: number, one = store) =>
  one.asTenant(tenantId, () => one.schedules.jobs.list({}, tenantId))
const listGroups = (tenantId: number, one = store) =>
  one.asTenant(tenantId, () =>
    one.replica.read(({ groups }) => groups.list({ limit: 1 }, tenantId)),
  )

/** Keeps reads of the table waiting while the work runs. */
async function blocking<T>(table: string, work: () => Promise<T>): Promise<T> {
  await blocker.query(`begin; lock table punctual.${table} in access exclusive mode`)
  try {
    return await work()
  } finally {
    await blocker.query('rollback')
  }
}

it('a caller is authenticated while the connection for reads and changes is busy', async () => {
  const { key } = await store.apiKeys.create({
    ...{ name: 'ci', tenantId: acme, scopes: ['read'], expiresAt: null, by: 'ann' },
  })
  const id = systemRandom.token()
  await store.work.openSession({
    ...{ id, tenantId: acme, host: 'h', pid: 1, version: '', handlers: ['x'], queues: [] },
    ...{ labels: {}, capacity: 1, leaseMs: 30_000, drains: false },
  })
  await blocking('jobs', async () => {
    const ended: string[] = []
    const slow = store.database.control
      .query({ name: '', text: 'select count(*) from punctual.jobs' })
      .finally(() => ended.push('read'))
    slow.catch(() => undefined)
    const caller = await store.authenticator.authenticate(key)
    const session = await store.remoteSessions.find(id)
    const renewed = await store.remoteSessions.renew(id)
    expect([caller.tenantId, session?.id, renewed]).toEqual([acme, id, { drains: false }])
    expect(ended).toEqual([])
    await blocker.query('rollback; begin')
    await slow
  })
})

it('a call that takes too long fails alone: other calls on its connection are answered', async () => {
  const { identity } = store.database
  await blocking('jobs', async () => {
    const slow = identity.query({ name: '', text: 'select count(*) from punctual.jobs' })
    const after = identity.query({ name: '', text: 'select 7::text' })
    await expect(slow).rejects.toMatchObject({ code: 'database_unavailable' })
    expect(await after).toEqual([['7']])
  })
}, 20_000)

it('a list that takes too long is refused, and the refusal says how to narrow it', async () => {
  await blocking('jobs', async () => {
    await expect(listJobs(acme)).rejects.toMatchObject({
      ...{ code: 'read_timeout', message: expect.stringContaining('shorter range') },
    })
  })
  expect(await listJobs(acme)).toEqual([])
})

it('slow lists of one tenant do not delay the lists of another', async () => {
  await blocking('jobs', async () => {
    const ended: string[] = []
    const slow = Array.from({ length: 20 }, () =>
      listJobs(acme, t.store).finally(() => ended.push('slow')),
    )
    expect(await listGroups(rival, t.store)).toEqual([])
    expect(await listGroups(rival, t.store)).toEqual([])
    expect(ended).toEqual([])
    await blocker.query('rollback; begin')
    await Promise.all(slow)
  })
})

it('the stated number of connections of a node is the sum of those in ARCHITECTURE.md', async () => {
  const text = await readFile(new URL('../../../../ARCHITECTURE.md', import.meta.url), 'utf8')
  const [, table = ''] = text.split('## Connections of a process')
  const rows = table.split('\n').filter((line) => /^\| \w.*\d/.test(line))
  const numbers = rows.map((row) => {
    const [, , number = ''] = row.split('|')
    return Number(/\d+/.exec(number)?.[0]) + (number.includes('a second') ? 1 : 0)
  })
  expect(rows).toHaveLength(12)
  expect(numbers.reduce((sum, number) => sum + number, 0)).toBe(CONNECTIONS_OF_A_NODE)
})

it('keys of the installation share connections as one tenant does', async () => {
  const release = new AbortController()
  const released = once(release.signal, 'abort')
  let open = 0
  const held = Array.from({ length: 8 }, () =>
    store.asSystemKey(() =>
      store.transaction(async () => {
        open++
        await released
      }),
    ),
  )
  await store.asTenant(rival, () => store.transaction(async () => undefined))
  expect(open).toBeLessThan(8)
  release.abort()
  await Promise.all(held)
})
