import { compileJob } from '@punctual/core/job'
import { compileOptions, makeSubmission } from '@punctual/core/submit'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

let t: TestStore

beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

const submission = (handler: string) => makeSubmission(compileOptions(handler), '{}')
const job = (name: string) =>
  compileJob({ name, handler: name, every: '1h' }, { timezone: 'UTC', jitterMs: 0 })

class Regret extends Error {}

test('a transaction commits all its changes when its work resolves', async () => {
  const { store } = t
  const { id } = await store.transaction(async (transaction) => {
    await store.schedules.jobs.upsert([job('together')], 1)
    await store.queues.pause('together', { note: null, by: null })
    const [run] = await store.submit([submission('together')], { transaction })
    return run as { id: string }
  })
  expect(await store.schedules.jobs.find('together', 1)).toMatchObject({ name: 'together' })
  expect((await store.queues.pauses()).map(({ queue }) => queue)).toContain('together')
  expect(await store.runs.find(id)).toMatchObject({ state: 'queued' })
})

test('a transaction whose work rejects changes nothing, and the lanes it created stay usable', async () => {
  const { store } = t
  let id = ''
  const work = store.transaction(async (transaction) => {
    await store.schedules.jobs.upsert([job('regretted')], 1)
    const [run] = await store.submit([submission('regretted')], { transaction })
    id = run?.id ?? ''
    expect(await store.runs.find(id)).not.toBeNull()
    throw new Regret()
  })
  await expect(work).rejects.toThrow(Regret)
  expect(await store.schedules.jobs.find('regretted', 1)).toBeNull()
  expect(await store.runs.find(id)).toBeNull()
  // The lane and the rules were committed separately: this process has cached their ids.
  const [again] = await store.submit([submission('regretted')])
  expect(await store.runs.find(again?.id ?? '')).toMatchObject({ handler: 'regretted' })
  await store.schedules.jobs.upsert([job('regretted')], 1)
  expect(await store.schedules.jobs.find('regretted', 1)).not.toBeNull()
})

test('submissions of every kind take part in the transaction that they are given', async () => {
  const { store } = t
  const keyed = makeSubmission(compileOptions('together', { key: 'regretted' }), '{}')
  const group = { name: 'regretted', callback: null, open: true, submissions: [keyed] }
  const ids: string[] = []
  const work = store.transaction(async (transaction) => {
    const [plain] = await store.submit([submission('together')], { transaction })
    const [first] = await store.submit([keyed], { transaction })
    const { accepted } = await store.groups.make(group, 1, { transaction })
    ids.push(...[plain, first, ...accepted].map((run) => run?.id ?? ''))
    expect(accepted).toEqual([{ id: first?.id, created: false, outcome: 'existing' }])
    throw new Regret()
  })
  await expect(work).rejects.toThrow(Regret)
  for (const id of ids) expect(await store.runs.find(id)).toBeNull()
  expect(await store.replica.read(({ groups }) => groups.list({ limit: 10 }, 1))).toEqual([])
})

test('a submission that is given no transaction is committed by itself', async () => {
  const { store } = t
  let id = ''
  const work = store.transaction(async () => {
    const [run] = await store.submit([submission('together')])
    id = run?.id ?? ''
    throw new Regret()
  })
  await expect(work).rejects.toThrow(Regret)
  expect(await store.runs.find(id)).toMatchObject({ handler: 'together' })
})

test('hints of a transaction are sent after its commit, and not after a rollback', async () => {
  const { store } = t
  const hints: string[] = []
  const stop = store.signals.onHint((hint) => hints.push(hint.jobs ? 'jobs' : 'due'))
  await store.transaction(async (transaction) => {
    await store.schedules.jobs.upsert([job('hinted')], 1)
    await store.submit([submission('together')], { transaction })
    expect(hints.filter((hint) => hint === 'jobs')).toEqual([])
  })
  expect(hints).toContain('jobs')
  hints.length = 0
  const work = store.transaction(async () => {
    await store.schedules.jobs.upsert([job('not-hinted')], 1)
    throw new Regret()
  })
  await expect(work).rejects.toThrow(Regret)
  expect(hints).not.toContain('jobs')
  stop()
})

test('a nested transaction that fails is rolled back alone', async () => {
  const { store } = t
  await store.transaction(async (transaction) => {
    await store.submit([submission('together')], { transaction })
    const part = store.transaction(async () => {
      await store.schedules.jobs.upsert([job('part')], 1)
      throw new Regret()
    })
    await expect(part).rejects.toThrow(Regret)
    await store.schedules.jobs.upsert([job('whole')], 1)
  })
  expect(await store.schedules.jobs.find('part', 1)).toBeNull()
  expect(await store.schedules.jobs.find('whole', 1)).not.toBeNull()
})

test('calls outside an open transaction do not take part in it', async () => {
  const { store } = t
  let markBegun = () => {}
  let finish = () => {}
  const begun = new Promise<void>((resolve) => {
    markBegun = resolve
  })
  const waiting = new Promise<void>((resolve) => {
    finish = resolve
  })
  const work = store.transaction(async () => {
    await store.schedules.jobs.upsert([job('concurrent')], 1)
    markBegun()
    await waiting
    throw new Regret()
  })
  await begun
  const [run] = await store.submit([submission('together')])
  expect(await store.schedules.jobs.find('concurrent', 1)).toBeNull()
  finish()
  await expect(work).rejects.toThrow(Regret)
  expect(await store.runs.find(run?.id ?? '')).not.toBeNull()
})

test('a transaction whose connection is lost before the commit runs its work once more', async () => {
  const { store } = t
  let tries = 0
  const { id } = await store.transaction(async (transaction) => {
    tries++
    const [run] = await store.submit([submission('together')], { transaction })
    if (tries === 1) {
      const [row] = await store.database.control.query({
        name: '',
        text: 'select pg_backend_pid()',
      })
      await store.database.ambient.outside(() =>
        store.database.upkeep.query(
          { name: '', text: 'select pg_terminate_backend($1::integer)' },
          [row?.[0] as string],
        ),
      )
    }
    return run as { id: string }
  })
  expect(tries).toBe(2)
  expect(await store.runs.find(id)).not.toBeNull()
})
