/**
 * Reading from a real standby. It is frozen in the past, the most misleading state that is not
 * refused: nothing new exists there, and everything removed still does. Lists show that past; no
 * decision uses it.
 */

import { examine } from '@punctual/store'
import { eventually } from '@punctual/testkit'
import { Punctual, type TenantScope } from 'punctual'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'
import { query, StandbyPair } from '../kit/standby-pair.ts'

const HOUR_MS = 3_600_000
let pair: StandbyPair
let standbyUrl: string
let kit: HttpKit
let punctual: Punctual
let acme: TenantScope
const { said: complaints, logger } = listener()

async function frozen(): Promise<void> {
  await query(standbyUrl, 'select pg_wal_replay_pause()')
  await eventually('the standby is frozen', async () => {
    const [row] = await query(standbyUrl, 'select pg_get_wal_replay_pause_state() as state')
    return (row as { state: string }).state === 'paused'
  })
}

const thawed = () => query(standbyUrl, 'select pg_wal_replay_resume()')

/** Waits until the standby has everything that the primary has now. */
async function caughtUp(): Promise<void> {
  const [row] = await query(pair.primary.url, 'select pg_current_wal_insert_lsn() as lsn')
  const { lsn } = row as { lsn: string }
  const text = `select pg_last_wal_replay_lsn() >= '${lsn}' as there`
  await eventually('the standby has caught up', async () => {
    return ((await query(standbyUrl, text))[0] as { there: boolean }).there
  })
}

const names = (jobs: readonly { name: string }[]) => jobs.map(({ name }) => name)
const listed = async (from: Punctual) => names(await from.jobs.list())
const yearly = (name: string) => ({ name, handler: 'h', cron: '0 0 1 1 *' })

/** Keeps the log lines about the standby. */
function listener() {
  const said: string[] = []
  const say = (_: object, message: string) =>
    void (/read replica|the replica/.test(message) && said.push(message))
  return { said, logger: { debug: say, info: say, warn: say, error: say } }
}

/** A separate process that prints its log. */
async function another(readDatabaseUrl: string, readLagMs = HOUR_MS) {
  const { said, logger } = listener()
  const databaseUrl = pair.primary.url
  const other = await Punctual.start({
    ...{ databaseUrl, readDatabaseUrl, readLagMs, roles: [], logger, migrate: false },
  })
  return { other, said }
}

beforeAll(async () => {
  pair = await StandbyPair.start()
  standbyUrl = (await pair.standby()).url
  const urls = { databaseUrl: pair.primary.url, readDatabaseUrl: standbyUrl }
  kit = await HttpKit.open({ ...urls, readLagMs: HOUR_MS, roles: ['worker'], logger })
  punctual = kit.punctual
  punctual.handler('fail', () => Promise.reject(new Error('on purpose')))
  acme = punctual.tenant((await punctual.tenants.get('acme'))?.id as number)
  await acme.jobs.upsert(yearly('old-of-acme'))
  await punctual.jobs.upsert(yearly('old'))
  await punctual.jobs.upsert({ ...yearly('declared'), source: 'file' })
  await caughtUp()
}, 120_000)
afterAll(async () => {
  await kit?.close()
  await pair?.stop()
})

describe('while the standby is frozen', () => {
  let runId: string
  let deadId: string
  beforeAll(async () => {
    const submitted = await punctual.submit('nobody', null, { queue: 'q', delayMs: HOUR_MS })
    runId = submitted.id
    await caughtUp()
    await frozen()
    await punctual.jobs.upsert(yearly('new'))
    await punctual.jobs.delete('old')
    await acme.jobs.delete('old-of-acme')
    deadId = (await punctual.submit('fail', null, { maxAttempts: 1, queue: 'q' })).id
    await punctual.runs.waitFor(deadId)
  })
  afterAll(() => thawed())
  afterEach(() => expect(complaints).toEqual([]))

  test('lists, pages, counts and reports show the past; lookups by id or name do not', async () => {
    expect(await listed(punctual)).toEqual(['declared', 'old'])
    expect(names((await punctual.jobs.page()).jobs)).toEqual(['declared', 'old'])
    expect((await punctual.runs.list({})).map(({ id }) => id)).toEqual([runId])
    expect((await punctual.runs.page({})).runs.map(({ id }) => id)).toEqual([runId])
    expect(await punctual.runs.count({})).toMatchObject({ count: 1, exact: true })
    expect(await punctual.deadLetters.list()).toEqual([])
    expect(await punctual.deadLetters.causes()).toEqual([])
    expect(await punctual.stats.recent()).toEqual([])
    expect(await punctual.groups.list()).toEqual([])
    const said = (await punctual.audit.list()).map(({ action, target }) => [action, target.name])
    expect(said).toContainEqual(['job.create', 'old'])
    expect(said).not.toContainEqual(['job.create', 'new'])
    expect(await punctual.jobs.get('old')).toBeNull()
    expect(await punctual.jobs.get('new')).toMatchObject({ name: 'new' })
    expect(await punctual.runs.get(deadId)).toMatchObject({ state: 'dead' })
    expect(await punctual.deadLetters.get(deadId)).toMatchObject({ id: deadId })
  })

  test('no decision of the library uses the standby (case 51)', async () => {
    const keyed = () => punctual.submit('nobody', null, { key: 'once', delayMs: HOUR_MS })
    const first = await keyed()
    expect(await keyed()).toMatchObject({ id: first.id, created: false })
    expect(await punctual.runs.cancel(first.id)).toMatchObject({ result: 'cancelled' })
    expect(await punctual.runs.cancel(deadId)).toMatchObject({ result: 'already_finished' })
    await punctual.submit('nobody', null, { queue: 'many', delayMs: HOUR_MS })
    expect(await punctual.runs.cancelMany({ queue: 'many' })).toMatchObject({ matched: 1 })
    expect(await punctual.jobs.change('new', { description: 'changed' })).toBe('updated')
    await expect(punctual.jobs.pause('old')).rejects.toMatchObject({ code: 'job_not_found' })
    // Removes the existing jobs that are not declared: those on the primary, not those of the past.
    await punctual.jobs.upsert({ ...yearly('extra'), source: 'file' })
    const declared = [{ ...yearly('declared'), description: 'again' }]
    const synced = await punctual.jobs.sync('file', declared, { prune: true })
    expect(synced).toMatchObject({ updated: ['declared'], removed: ['extra'] })
    expect(await punctual.deadLetters.replay(deadId)).toMatchObject({ result: 'replayed' })
    expect(await punctual.deadLetters.replay(deadId)).not.toMatchObject({ result: 'replayed' })
  })

  test('no decision of a request uses the standby, and a GET may ask for the primary (case 51)', async () => {
    const system = { key: kit.system }
    const { key, id: keyId } = await punctual.apiKeys.create({ name: 'late', scopes: ['system'] })
    expect((await kit.get('/me', { key })).status).toBe(200)
    await punctual.apiKeys.revoke(keyId)
    expect((await kit.get('/me', { key })).status).toBe(401)
    const once = { ...system, headers: { 'idempotency-key': 'k1' } }
    const job = { name: 'by-http', schedule: '0 0 1 1 *', payload: null }
    const made = await kit.post('/jobs', job, once)
    expect(made.status).toBe(201)
    const again = await kit.post('/jobs', job, once)
    expect([again.body.id, again.headers.get('idempotent-replayed')]).toEqual([
      made.body.id,
      'true',
    ])
    const found = await kit.get(`/jobs/${made.body.id}`, system)
    expect(found.status).toBe(200)
    const match = { ...system, headers: { 'if-match': found.headers.get('etag') as string } }
    const change = { description: 'changed' }
    expect((await kit.call('PATCH', `/jobs/${made.body.id}`, change, match)).status).toBe(200)
    expect((await kit.call('PATCH', `/jobs/${made.body.id}`, change, match)).status).toBe(412)
    // Internally it uses the same pages as the lists for users.
    const { id } = await punctual.submit('fail', null, { maxAttempts: 1, queue: 'again' })
    await punctual.runs.waitFor(id)
    const request = { filter: { queue: 'again' } }
    expect((await kit.post('/runs/retry', request, system)).body).toMatchObject({ retried: 1 })
    const fresh = { ...system, headers: { 'cache-control': 'no-cache' } }
    const all = async (options: object) => names((await kit.get('/jobs', options)).body.jobs)
    expect(await all(system)).toEqual(['declared', 'old'])
    expect(await all(fresh)).toEqual(['by-http', 'declared', 'new'])
  })

  test('within a transaction or an acting user, the primary is read', async () => {
    const { store } = punctual
    const read = () => store.replica.read(({ jobs }) => jobs.list({}, 1))
    expect(names(await store.transaction(read))).not.toContain('old')
    expect(names(await punctual.as({ kind: 'library', name: 'ann' }, read))).not.toContain('old')
    expect(names(await read())).toContain('old')
  })

  test('row security separates tenants on the standby too', async () => {
    const { store } = punctual
    const { tenantId } = acme
    const listOf = (id: number) => () => store.replica.read(({ jobs }) => jobs.list({}, id))
    expect(store.rowSecurity.state).toBe('up')
    expect(names(await listOf(1)())).toEqual(['declared', 'old'])
    // As if a statement lacked its tenant filter.
    expect(await store.asTenant(tenantId, listOf(1))).toEqual([])
    expect(names(await store.asTenant(tenantId, listOf(tenantId)))).toEqual(['old-of-acme'])
    expect(names((await kit.get('/jobs')).body.jobs)).toEqual(['old-of-acme'])
  })

  test('a standby that is too far behind is skipped with a warning until it has caught up', async () => {
    const { other, said } = await another(standbyUrl, 200)
    const skippedBecause = async () => (await other.guarantees()).facts.readStandby?.skippedBecause
    try {
      await eventually('the skip is logged', async () => {
        await listed(other)
        return said.some((line) => /is skipped: it may be \d+ ms behind/.test(line))
      })
      expect(await listed(other)).not.toContain('old')
      expect(await skippedBecause()).toContain('200 ms are allowed')
      const { database, replica } = other.store
      const findings = await examine(database, { replica })
      expect(findings.filter(({ check }) => check === 'read replica')).toMatchObject([
        { level: 'warn', found: expect.stringContaining('skipped: it may be') },
      ])
      await thawed()
      await caughtUp()
      await eventually('it is used again', async () => {
        expect(await listed(other)).not.toContain('old')
        return said.at(-1) === 'lists and reports are read from the replica again'
      })
      await eventually('the guarantees show it', async () => (await skippedBecause()) === null)
    } finally {
      await other.stop()
    }
  })
})

test('a failed read on the standby is repeated completely on the primary', async () => {
  const { store } = punctual
  await caughtUp()
  const conflict = { code: '40001', message: 'canceling statement due to conflict with recovery' }
  const readersSeen: unknown[] = []
  const found = await store.replica.read(async (readers) => {
    readersSeen.push(readers)
    if (readersSeen.length === 1) throw Object.assign(new Error(), conflict)
    return readers.jobs.list({}, 1)
  })
  expect(names(found)).toContain('new')
  expect(readersSeen[0]).not.toBe(readersSeen[1])
  // The next read uses the standby again.
  await store.replica.read(async (readers) => expect(readers).not.toBe(readersSeen[1]))
})

test.for([
  [
    'another database of the same server',
    (url: string) => url.replace(/\/[^/?]+(\?|$)/, '/template1$1'),
  ],
  ['the primary itself', () => pair.primary.url],
  ['a port without a server', (url: string) => url.replace(/:\d+\//, ':1/')],
] as const)('%s is skipped with a warning', async ([, urlOf]) => {
  const { other, said } = await another(urlOf(standbyUrl))
  try {
    expect(await listed(other)).toContain('new')
    expect(said).toEqual([expect.stringContaining('the read replica is skipped')])
  } finally {
    await other.stop()
  }
})

test('a promoted standby is no longer read', async () => {
  const { other, said } = await another(standbyUrl)
  try {
    await caughtUp()
    expect(await listed(other)).toContain('new')
    expect(said).toEqual([])
    await query(standbyUrl, 'select pg_promote()')
    await punctual.jobs.upsert(yearly('later'))
    expect(await listed(other)).toContain('later')
    expect(said).toEqual([expect.stringContaining('it is not a standby (any more)')])
  } finally {
    await other.stop()
  }
})

test('an invalid address and an invalid lag are refused with their names before anything starts', async () => {
  const refused = (options: object) => Punctual.start({ embedded: true, ...options })
  const code = 'invalid_config'
  await expect(refused({ readDatabaseUrl: 'db2' })).rejects.toMatchObject({
    ...{ code, field: 'readDatabaseUrl' },
  })
  await expect(refused({ readLagMs: -1 })).rejects.toMatchObject({ code, field: 'readLagMs' })
})
