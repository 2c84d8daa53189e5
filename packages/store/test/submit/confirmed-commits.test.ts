/**
 * Statements that confirm an earlier commit must wait for the synchronous standby as that commit
 * did: a commit that has not reached the standby can be visible on a server that is about to die.
 * Only transactions that write wait for the standby, so these statements write.
 */
import { compileOptions } from '@punctual/core/submit'
import { succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

async function writes(path: string, values: unknown[]): Promise<boolean> {
  const { text } = t.store.database.statements.get(path)
  await t.sql.query('begin')
  await t.sql.query(text, values)
  const { rows } = await t.sql.query('select pg_current_xact_id_if_assigned() as number')
  await t.sql.query('rollback')
  return rows[0].number !== null
}

it('resubmitting an existing run writes, so that it waits for the standby', async () => {
  const submission = { options: compileOptions('test', {}), payload: '{}' }
  const [{ id } = { id: '' }] = await t.store.submit([submission])
  const [lane] = await t.lanes()
  const values = [[id], ['{}'], null, null, null, null, lane?.id, 1, 3, 1_000, 0]
  const more = [null, null, null, 0, 60_000]
  expect(await writes('submit/insert-runs-again', [...values, ...more])).toBe(true)
  const flows = [JSON.stringify({ gate: '1', concurrency: { limit: 1 } })]
  const gated = [...values, ...more, flows, true]
  expect(await writes('submit/insert-gated-runs', gated)).toBe(true)
})

it('resubmitting an existing run with a key writes, so that it waits for the standby', async () => {
  const submission = { options: compileOptions('test', { key: 'once' }), payload: '{}' }
  const [{ id } = { id: '' }] = await t.store.submit([submission])
  expect(await writes('submit/find-runs', [[id]])).toBe(true)
})

it('finding a key that another caller submitted only reads without a synchronous standby', async () => {
  const submission = { options: compileOptions('test', { key: 'theirs' }), payload: '{}' }
  await t.store.submit([submission])
  const { rows } = await t.sql.query('show synchronous_standby_names')
  expect(rows[0].synchronous_standby_names).toBe('')
  expect(await writes('submit/find-keys', [1, ['theirs']]), 'the statement only reads').toBe(false)
})

it('creating an existing group again writes, so that it waits for the standby', async () => {
  const keyed = { options: compileOptions('test', { key: 'member' }), payload: '{}' }
  const group = { name: null, callback: null, open: false, submissions: [keyed] }
  const { id, accepted } = await t.store.groups.make(group, 1, {})
  expect(await writes('groups/find-members', [id, accepted.map((run) => run.id)])).toBe(true)
  expect(await writes('groups/find-keyed-members', [id, 1, ['member']])).toBe(true)
})

it('looking up the outcome of a transaction writes, so that it waits for the standby', async () => {
  const { rows } = await t.sql.query('select pg_current_xact_id()::text as number')
  expect(await writes('requests/find-commit', [rows[0].number])).toBe(true)
})

it('looking up whether an attempt was settled writes, so that it waits for the standby', async () => {
  const session = await t.session()
  const run = await t.running(session)
  await t.store.work.settle(session, [succeeded(run)])
  expect(await writes('work/find-settled', [[run.id]])).toBe(true)
  expect(await writes('runs/find-surroundings', [1, 1]), 'other reads do not write').toBe(false)
})
