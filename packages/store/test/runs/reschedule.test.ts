import { retry, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

const HOUR = 3_600_000
let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

/** Claims the one run that is due, and lets it succeed. */
async function runIt() {
  const session = await t.session()
  const [run] = (await t.claim(session)).runs
  if (!run) throw new Error('nothing is due')
  await t.store.work.settle(session, [succeeded(run)])
  const found = await t.store.runs.find(run.id)
  if (!found || !('latenessMs' in found)) throw new Error(`run ${run.id} has not ended`)
  return { claimed: run, found }
}

it.each([
  ['later', 2 * HOUR],
  ['queue', 30_000],
])(
  'a run that was moved out of `%s` is late by the time that it was moved to',
  async (_, delayMs) => {
    const id = await t.submit({ delayMs })
    const toMs = Date.now() - 5_000
    expect(await t.store.steering.reschedule([id], toMs)).toEqual(new Set([id]))
    const { claimed, found } = await runIt()
    expect(claimed).toMatchObject({ id, dueMs: toMs })
    expect(found.dueAt.getTime()).toBe(toMs)
    expect(found.latenessMs).toBe((found.startedAt as Date).getTime() - toMs)
  },
)

it('a run that is moved twice is due at the last of the times, also while it waits', async () => {
  const id = await t.submit({ delayMs: 30_000 })
  for (const toMs of [Date.now() + 3 * HOUR, Date.now() + 5 * HOUR]) {
    await t.store.steering.reschedule([id], toMs)
    const dueAt = new Date(toMs)
    expect(await t.store.runs.find(id)).toMatchObject({ dueAt, nextAt: dueAt })
  }
  await t.store.steering.cancelWaiting([id], 'test')
})

it('moving the retry of a run leaves its due time alone: its first attempt was not late', async () => {
  const session = await t.session()
  const run = await t.running(session)
  await t.store.work.settle(session, [retry(run, HOUR)])
  const before = await t.store.runs.find(run.id)
  await t.store.steering.reschedule([run.id], Date.now())
  const { found } = await runIt()
  expect(found.dueAt).toEqual(before?.dueAt)
  const firstStart = found.attempts[0]?.startedAt?.getTime()
  expect(found.latenessMs).toBe(Number(firstStart) - found.dueAt.getTime())
})

it('a run that is moved by one of another tenant keeps its due time', async () => {
  const id = await t.submit({ delayMs: HOUR })
  const before = await t.store.runs.find(id)
  expect(await t.store.steering.reschedule([id], Date.now(), 2)).toEqual(new Set())
  expect((await t.store.runs.find(id))?.dueAt).toEqual(before?.dueAt)
  await t.store.steering.cancelWaiting([id], 'test')
})
