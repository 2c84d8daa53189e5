/** Every row written for a run belongs to the run's tenant, also rows written late. */
import type { ClaimedRun } from '@punctual/core/ports'
import { compileOptions } from '@punctual/core/submit'
import { dead, retry, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

const OTHER = 2
let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
  await t.sql.query(`insert into punctual.tenants (id, name) values (${OTHER}, 'other')`)
})
afterEach(() => t.emptyPlaces())
afterAll(() => t.close())

const plain = { options: compileOptions('test'), payload: '1' }

async function submitFor(tenantId: number, submission = plain): Promise<string> {
  const [accepted] = await t.store.submit([submission], { tenantId })
  return (accepted as { id: string }).id
}

async function tenantsIn(table: string, column = 'run_id'): Promise<Record<string, number>> {
  const { rows } = await t.sql.query(`select ${column} as id, tenant_id from punctual.${table}`)
  return Object.fromEntries(rows.map((row) => [row.id, row.tenant_id]))
}

/** A run of the other tenant, leased by the session. */
async function held(session: string): Promise<ClaimedRun> {
  const id = await submitFor(OTHER)
  const run = (await t.claim(session, 100)).runs.find((claimed) => claimed.id === id)
  if (!run) throw new Error(`run ${id} was not claimed`)
  return run
}

const line = (run: ClaimedRun, seq = 0) => ({
  ...{ runId: run.id, attempt: 1, seq, agoMs: 0, level: 1, message: 'line', data: null },
})

it('runs of two tenants submitted in one statement keep their tenants', async () => {
  const tenants = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 1 : OTHER))
  const ids = await Promise.all(tenants.map((tenantId) => submitFor(tenantId)))
  const expected = Object.fromEntries(ids.map((id, i) => [id, tenants[i]]))
  expect(await tenantsIn('runs', 'id')).toMatchObject(expected)
  expect(await tenantsIn('queue')).toMatchObject(expected)
  for (const tenantId of [1, OTHER]) await t.store.steering.cancelWaiting(ids, 'test', tenantId)
  expect(await tenantsIn('outcomes')).toMatchObject(expected)
})

it.each([
  ['due much later', { delayMs: 3_600_000 }, 'later'],
  ['with a key', { key: 'k' }, 'live_keys'],
] as const)('a run %s keeps its tenant', async (_, options, table) => {
  const id = await submitFor(OTHER, { ...plain, options: compileOptions('test', options) })
  expect(await tenantsIn('runs', 'id')).toMatchObject({ [id]: OTHER })
  expect(await tenantsIn(table)).toMatchObject({ [id]: OTHER })
})

it('attempts, outcomes and dead letters have the tenant of their run', async () => {
  const session = await t.session()
  const [failed, done, died] = [await held(session), await held(session), await held(session)]
  await t.store.work.settle(session, [retry(failed, 3_600_000), succeeded(done), dead(died)])
  expect(await tenantsIn('attempts')).toEqual({ [failed.id]: OTHER })
  expect(await tenantsIn('later')).toMatchObject({ [failed.id]: OTHER })
  expect(await tenantsIn('outcomes')).toMatchObject({ [done.id]: OTHER, [died.id]: OTHER })
  expect(await tenantsIn('dead_letters')).toEqual({ [died.id]: OTHER })
})

it('a late outcome is stored under the tenant of its run', async () => {
  const session = await t.session()
  const run = await held(session)
  await t.expire(session)
  await t.reap([session])
  expect(await t.store.work.settle(session, [succeeded(run)])).toEqual([run.id])
  expect(await tenantsIn('stale_settles')).toEqual({ [run.id]: OTHER })
})

it('log lines have the tenant of their run, during the run and after its end', async () => {
  const session = await t.session()
  const [running, ended] = [await held(session), await held(session)]
  await t.store.work.settle(session, [succeeded(ended)])
  await t.store.work.appendLogs([line(running), line(ended), line(running, 1)])
  expect(await tenantsIn('run_logs')).toEqual({ [running.id]: OTHER, [ended.id]: OTHER })
  expect((await t.store.runs.logs(running.id)).map(({ seq }) => seq)).toEqual([0, 1])
})

it('log lines of a deleted run are dropped, and other lines of the batch are stored', async () => {
  const session = await t.session()
  const run = await held(session)
  const gone = { ...run, id: '019a0000-0000-7000-8000-000000000000' }
  await t.store.work.appendLogs([line(gone), line(run)])
  expect(await t.store.runs.logs(run.id)).toHaveLength(1)
  expect(await t.store.runs.logs(gone.id)).toEqual([])
})
