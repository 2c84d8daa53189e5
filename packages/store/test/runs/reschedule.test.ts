import { retry, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

const HOUR = 3_600_000
let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterEach(() => t.emptyPlaces())
afterAll(() => t.close())

/** Claims the only due run, settles it as succeeded, and reads it back. */
async function runDueRun() {
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
  'the lateness of a run that was rescheduled in `%s` counts from its new due time',
  async (_, delayMs) => {
    const id = await t.submit({ delayMs })
    const toMs = Date.now() - 5_000
    expect(await t.store.steering.reschedule([id], toMs)).toEqual(new Set([id]))
    const { claimed, found } = await runDueRun()
    expect(claimed).toMatchObject({ id, dueMs: toMs })
    expect(found.dueAt.getTime()).toBe(toMs)
    expect(found.latenessMs).toBe((found.startedAt as Date).getTime() - toMs)
  },
)

it('a run rescheduled twice shows the last due time while it waits', async () => {
  const id = await t.submit({ delayMs: 30_000 })
  for (const toMs of [Date.now() + 3 * HOUR, Date.now() + 5 * HOUR]) {
    await t.store.steering.reschedule([id], toMs)
    const dueAt = new Date(toMs)
    expect(await t.store.runs.find(id)).toMatchObject({ dueAt, nextAt: dueAt })
  }
})

it('rescheduling a retry does not change the due time and lateness of the run', async () => {
  const session = await t.session()
  const run = await t.running(session)
  await t.store.work.settle(session, [retry(run, HOUR)])
  const before = await t.store.runs.find(run.id)
  await t.store.steering.reschedule([run.id], Date.now())
  const { found } = await runDueRun()
  expect(found.dueAt).toEqual(before?.dueAt)
  const firstStart = found.attempts[0]?.startedAt?.getTime()
  expect(found.latenessMs).toBe(Number(firstStart) - found.dueAt.getTime())
})

it('another tenant cannot reschedule a run', async () => {
  const id = await t.submit({ delayMs: HOUR })
  const before = await t.store.runs.find(id)
  expect(await t.store.steering.reschedule([id], Date.now(), 2)).toEqual(new Set())
  expect((await t.store.runs.find(id))?.dueAt).toEqual(before?.dueAt)
})
