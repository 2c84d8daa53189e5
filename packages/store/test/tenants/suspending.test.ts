/** Suspending a tenant: nothing is accepted, claimed or planned for it until it is resumed. */
import { compileJob, planJob, type SlotDecision } from '@punctual/core/job'
import { compileOptions } from '@punctual/core/submit'
import { systemRandom } from '@punctual/store'
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

let t: TestStore
let acme: number
let made = 0
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(async () => {
  acme = (await t.store.tenants.create(`acme-${++made}`, { note: null, by: null })).id
})

const suspend = () => t.store.tenants.suspend(acme, { note: 'unpaid', by: 'ann' })
const run = { options: compileOptions('test'), payload: '1' }
const submit = (tenantId: number, store = t.store) => store.submit([run], { tenantId })

async function claimed(tenantId: number) {
  const lanes = (await t.lanes()).filter((lane) => lane.tenantId === tenantId)
  const sessionId = await t.session()
  const claim = { sessionId, fence: systemRandom.token(), limit: 10, lanes }
  return (await t.store.work.claim(claim)).runs
}

it('every kind of submission is refused for a suspended tenant, and its data can be read', async () => {
  const declared = compileJob(
    { name: 'nightly', handler: 'test', cron: '0 0 * * *' },
    { timezone: 'UTC', jitterMs: 0 },
  )
  const { jobs, steering } = t.store.schedules
  await jobs.upsert([declared], acme)
  const suspended = await suspend()
  expect(suspended).toMatchObject({ suspendedNote: 'unpaid', suspendedBy: 'ann' })
  const group = { name: null, callback: null, open: true, submissions: [run] }
  const keyed = { options: compileOptions('test', { key: 'k' }), payload: '1' }
  const noted = { note: null, by: null, fromCheckpoint: false }
  for (const attempt of [
    () => submit(acme),
    () => t.store.submit([keyed], { tenantId: acme }),
    () => t.store.groups.make(group, acme, {}),
    () => jobs.upsert([declared], acme),
    () => steering.trigger('nightly', null, acme),
    () => steering.backfill('nightly', [0], new Set(), 0, acme),
    () => t.store.deadLetterSteering.replay([], noted, acme, null),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'tenant_suspended', id: suspended.name })
  expect(await jobs.find('nightly', acme)).toMatchObject({ name: 'nightly' })
  await submit(1)
  expect((await suspend()).suspendedAt).toEqual(suspended.suspendedAt)
})

it('no run of a suspended tenant is claimed, and waiting runs are claimed after it is resumed', async () => {
  const [waiting] = await submit(acme)
  const [other] = await submit(1)
  await suspend()
  expect(await claimed(acme)).toEqual([])
  expect((await claimed(1)).map(({ id }) => id)).toContain(other?.id)
  // Resuming its queues, which a tenant may do, does not end the suspension.
  await t.store.queues.resume(null, acme)
  expect(await claimed(acme)).toEqual([])
  await t.store.tenants.resume(acme)
  expect((await claimed(acme)).map(({ id }) => id)).toEqual([waiting?.id])
})

it('the pause of a tenant and its suspension are independent of each other', async () => {
  await submit(acme)
  await t.store.queues.pause(null, { note: 'own', by: null }, acme)
  await suspend()
  const notes = async () => (await t.store.queues.pauses(acme)).map(({ note }) => note)
  expect(await notes()).toEqual(['the tenant is suspended: unpaid', 'own'])
  await t.store.tenants.resume(acme)
  expect(await notes()).toEqual(['own'])
  expect(await claimed(acme)).toEqual([])
  await t.store.queues.resume(null, acme)
  expect(await claimed(acme)).toHaveLength(1)
})

it('another node refuses submissions once it receives the hint of a suspension', async () => {
  const other = t.another()
  other.signals.listen()
  await other.database.claim.ready()
  await submit(acme, other)
  await suspend()
  const refused = () =>
    submit(acme, other).then(
      () => false,
      (error: { code: string }) => error.code === 'tenant_suspended',
    )
  await eventually('the submission is refused', refused)
  await t.store.tenants.resume(acme)
  await eventually('the submission is accepted', async () => !(await refused()))
})

/** The decisions of a planner, now or `laterMs` later, for the jobs of the tenant. */
async function decisions(laterMs = 0): Promise<Record<string, readonly SlotDecision[]>> {
  const { plan, timings } = t.store.schedules
  const nowMs = t.store.database.clock.nowMs() + laterMs
  const window = { nowMs, untilMs: nowMs + 60_000 }
  const shards = Array.from({ length: 256 }, (_, shard) => shard)
  const due = await plan.dueJobs({ shards, fromMs: 0, untilMs: window.untilMs, limit: 1_000 })
  const ours = due.filter(({ tenantId }) => tenantId === acme)
  const rules = await plan.rules(ours.map(({ timing }) => timing))
  const planned = ours.map((job) =>
    planJob(job, rules.get(job.timing) as never, {
      ...{ window, timings, calendars: new Map(), skips: undefined },
    }),
  )
  expect(await plan.plan(planned, async () => undefined)).toBe(planned.length)
  const stored = await t.store.schedules.jobs.list({}, acme)
  const nameOf = new Map(stored.map(({ id, name }) => [id, name]))
  return Object.fromEntries(planned.map(({ job, decisions }) => [nameOf.get(job.id), decisions]))
}

it('recurring slots of a suspended tenant are skipped in one decision, and one-off runs wait', async () => {
  const settings = { timezone: 'UTC', jitterMs: 0 }
  const compiled = [
    compileJob({ name: 'often', handler: 'test', cron: '*/2 * * * * *' }, settings),
    compileJob({ name: 'once', handler: 'test', delayMs: 5_000 }, settings),
  ]
  await t.store.schedules.jobs.upsert(compiled, acme)
  await suspend()
  const suspended = await decisions()
  expect(suspended.often).toMatchObject([{ decision: 'skip', reason: 'paused' }])
  expect(suspended.often?.[0]?.slots).toBeGreaterThanOrEqual(29)
  expect(suspended.once).toMatchObject([{ decision: 'run' }])
  expect(await claimed(acme)).toEqual([])
  await t.store.tenants.resume(acme)
  const after = (await decisions(60_000)).often
  expect(after?.length).toBeGreaterThan(20)
  expect(after?.every(({ decision }) => decision === 'run')).toBe(true)
})
