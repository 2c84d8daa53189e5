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
  const { id } = await store.transaction(async () => {
    await store.schedules.jobs.upsert([job('together')], 1)
    await store.queues.pause('together', { note: null, by: null })
    const [run] = await store.submit([submission('together')])
    return run as { id: string }
  })
  expect(await store.schedules.jobs.find('together', 1)).toMatchObject({ name: 'together' })
  expect((await store.queues.pauses()).map(({ queue }) => queue)).toContain('together')
  expect(await store.runs.find(id)).toMatchObject({ state: 'queued' })
})

test('a transaction whose work rejects changes nothing, and the lanes it created stay usable', async () => {
  const { store } = t
  let id = ''
  const work = store.transaction(async () => {
    await store.schedules.jobs.upsert([job('regretted')], 1)
    const [run] = await store.submit([submission('regretted')])
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

test('hints of a transaction are sent after its commit, and not after a rollback', async () => {
  const { store } = t
  const hints: string[] = []
  const stop = store.signals.onHint((hint) => hints.push(hint.jobs ? 'jobs' : 'due'))
  await store.transaction(async () => {
    await store.schedules.jobs.upsert([job('hinted')], 1)
    await store.submit([submission('together')])
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
  await store.transaction(async () => {
    await store.submit([submission('together')])
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
  const { id } = await store.transaction(async () => {
    tries++
    const [run] = await store.submit([submission('together')])
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
