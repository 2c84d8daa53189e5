/** Quotas of tenants, each at its limit, with two nodes working concurrently. */
import type { Quotas } from '@punctual/core/identity'
import { compileJob, type JobOptions } from '@punctual/core/job'
import { compileOptions, type SubmitOptions } from '@punctual/core/submit'
import { type PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let t: TestStore
let nodes: [PostgresStore, PostgresStore]
beforeAll(async () => {
  t = await TestStore.open()
  nodes = [t.another(), t.another()]
})
afterAll(() => t.close())

let made = 0
async function aTenant(quotas: Quotas): Promise<number> {
  const anonymous = { note: null, by: null }
  return (await t.store.tenants.create(`tenant-${++made}`, anonymous, quotas)).id
}

const run = (payload = '1', options: SubmitOptions = {}) => ({
  options: compileOptions('test', options),
  payload,
})

const job = (name: string, options: Partial<JobOptions> = {}) =>
  compileJob({ name, handler: 'test', cron: '0 0 * * *', ...options } as JobOptions, {
    ...{ timezone: 'UTC', jitterMs: 0 },
  })

interface Refusal {
  code: string
  field?: string
  quota: { name: string; limit: number; used: number }
  retryAfterMs?: number
}

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: Refusal) => error,
  )

describe('quota of jobs', () => {
  const upsert = (store: PostgresStore, tenantId: number, ...names: string[]) =>
    outcome(
      store.schedules.jobs.upsert(
        names.map((name) => job(name)),
        tenantId,
      ),
    )
  const count = async (tenantId: number) =>
    (await t.store.schedules.jobs.list({ limit: 1_000 }, tenantId)).length

  it('two nodes that create jobs concurrently create exactly the quota of jobs', async () => {
    const tenantId = await aTenant({ jobs: 10 })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        upsert(nodes[n % 2] as PostgresStore, tenantId, `j${n}`),
      ),
    )
    expect(answers.filter((answer) => answer === null)).toHaveLength(10)
    expect(await count(tenantId)).toBe(10)
    for (const refusal of answers.filter((answer) => answer !== null))
      expect(refusal).toMatchObject({
        code: 'quota_exceeded',
        quota: { name: 'jobs', limit: 10, used: 11 },
      })
  })

  it('a batch of jobs is created whole or refused, and jobs at the quota can be changed or deleted', async () => {
    const tenantId = await aTenant({ jobs: 3 })
    const [a, b] = nodes
    expect(await upsert(a, tenantId, 'a', 'b')).toBeNull()
    const refused = await upsert(b, tenantId, 'c', 'd')
    expect(refused?.quota).toEqual({ name: 'jobs', limit: 3, used: 4 })
    expect(await count(tenantId)).toBe(2)
    expect(await upsert(b, tenantId, 'c')).toBeNull()
    const changed = await b.schedules.jobs.upsert([job('a', { cron: '0 1 * * *' })], tenantId)
    expect(changed).toMatchObject([{ change: 'updated' }])
    await a.schedules.steering.delete('b', tenantId)
    expect(await upsert(b, tenantId, 'd')).toBeNull()
    expect(await upsert(a, tenantId, 'e')).toMatchObject({ quota: { used: 4 } })
  })

  it('jobs that run once count towards the quota until their slot has passed', async () => {
    const tenantId = await aTenant({ jobs: 2 })
    const [a, b] = nodes
    const at = new Date(Date.now() + 3_600_000)
    const once = (name: string) =>
      compileJob({ name, handler: 'test', at }, { timezone: 'UTC', jitterMs: 0 })
    const make = (store: PostgresStore, name: string) =>
      outcome(store.schedules.jobs.upsert([once(name)], tenantId))
    expect(await make(a, 'a')).toBeNull()
    expect(await make(b, 'b')).toBeNull()
    expect(await make(a, 'c')).toMatchObject({ quota: { limit: 2, used: 3 } })
    const decided = (name: string) =>
      t.sql.query(
        `update punctual.cursors set next_at = null
         where job_id = (select id from punctual.jobs where tenant_id = $1 and name = $2)`,
        [tenantId, name],
      )
    await decided('a')
    expect(await make(a, 'c')).toBeNull()
    expect(await make(b, 'd')).toMatchObject({ quota: { used: 3 } })
    await a.schedules.steering.pause('c', null, tenantId)
    expect(await make(b, 'd')).toMatchObject({ quota: { used: 3 } })
    // A recurring job counts also after its end; a job that runs once counts again when it becomes
    // recurring.
    await decided('b')
    expect(await upsert(a, tenantId, 'e')).toBeNull()
    expect(await make(b, 'f')).toMatchObject({ quota: { used: 3 } })
    expect(await upsert(a, tenantId, 'a')).toBeNull()
    expect(await make(b, 'f')).toMatchObject({ quota: { used: 4 } })
  })

  it('existing jobs stay when the quota of jobs shrinks, and none can be added', async () => {
    const tenantId = await aTenant({})
    const [a] = nodes
    await upsert(a, tenantId, 'a', 'b')
    await t.store.tenants.update(tenantId, { quotas: { jobs: 1 } })
    const later = t.another()
    expect(await upsert(later, tenantId, 'a', 'b')).toBeNull()
    expect(await upsert(later, tenantId, 'c')).toMatchObject({ quota: { limit: 1, used: 3 } })
  })
})

it('the quota of payload bytes limits runs, jobs and triggers', async () => {
  const tenantId = await aTenant({ payloadBytes: 10 })
  const [fits, larger] = ['"€€12"', '"€€123"']
  for (const node of nodes) {
    expect(await outcome(node.submit([run(fits)], { tenantId }))).toBeNull()
    expect(await outcome(node.submit([run(larger)], { tenantId }))).toMatchObject({
      ...{ code: 'quota_exceeded', field: 'payload' },
      quota: { name: 'payloadBytes', limit: 10, used: 11 },
    })
    const many = [run(fits), run(larger)]
    expect(await outcome(node.submit(many, { tenantId }))).toMatchObject({ field: '[1].payload' })
    const { jobs, steering } = node.schedules
    expect(await outcome(jobs.upsert([job('p', { payload: '€€12' })], tenantId))).toBeNull()
    const declared = jobs.upsert([job('q', { payload: '€€123' })], tenantId)
    expect(await outcome(declared)).toMatchObject({ quota: { used: 11 } })
    expect(await outcome(steering.trigger('p', larger, tenantId))).toMatchObject({
      quota: { used: 11 },
    })
    expect(await outcome(steering.trigger('p', fits, tenantId))).toBeNull()
  }
})

it('the quota of timeouts limits runs, and jobs when they are created or changed', async () => {
  const tenantId = await aTenant({ timeoutMs: 60_000 })
  for (const node of nodes) {
    const submit = (timeoutMs: number) =>
      outcome(node.submit([run('1', { timeoutMs })], { tenantId }))
    expect(await submit(60_000)).toBeNull()
    expect(await submit(60_001)).toMatchObject({
      ...{ field: 'timeoutMs', quota: { name: 'timeoutMs', limit: 60_000, used: 60_001 } },
    })
    const upsert = (timeoutMs: number) =>
      outcome(node.schedules.jobs.upsert([job('t', { timeoutMs })], tenantId))
    expect(await upsert(59_000)).toBeNull()
    expect(await upsert(60_001)).toMatchObject({ quota: { name: 'timeoutMs' } })
  }
})

it('the quota of intervals limits jobs by their two closest slots', async () => {
  const tenantId = await aTenant({ minIntervalMs: 60_000 })
  for (const node of nodes) {
    const upsert = (when: Partial<JobOptions>) => {
      const { cron: _, ...rest } = { cron: undefined, name: 'i', handler: 'test', ...when }
      const options = 'cron' in when ? { ...rest, cron: when.cron } : rest
      const compiled = compileJob(options as JobOptions, { timezone: 'UTC', jitterMs: 0 })
      return outcome(node.schedules.jobs.upsert([compiled], tenantId))
    }
    expect(await upsert({ cron: '* * * * *' })).toBeNull()
    expect(await upsert({ every: '1m' })).toBeNull()
    expect(await upsert({ cron: '0,30 0 4 * * *' })).toMatchObject({
      ...{ code: 'quota_exceeded', field: 'cron' },
      quota: { name: 'minIntervalMs', limit: 60_000, used: 30_000 },
    })
    expect(await upsert({ every: '59s' })).toMatchObject({
      field: 'every',
      quota: { used: 59_000 },
    })
    expect(await upsert({ everyAfterEnd: '10s' })).toMatchObject({ quota: { used: 10_000 } })
  }
})

describe('quota of submissions per second', () => {
  const secondNow = async () => {
    const { rows } = await t.sql.query('select floor(extract(epoch from clock_timestamp())) as s')
    return Number(rows[0].s)
  }
  const runsOf = async (tenantId: number) => {
    const { rows } = await t.sql.query(
      'select count(*)::int as n from punctual.runs where tenant_id = $1',
      [tenantId],
    )
    return rows[0].n
  }

  it('two nodes together never exceed the submission quota in any second (case 158)', async () => {
    const quota = 20
    const tenantId = await aTenant({ submissionsPerSecond: quota })
    const firstSecond = await secondNow()
    const refusals: Refusal[] = []
    const flood = async (node: PostgresStore) => {
      while ((await secondNow()) < firstSecond + 3) {
        const calls = Array.from({ length: 10 }, () => outcome(node.submit([run()], { tenantId })))
        for (const refusal of await Promise.all(calls)) if (refusal) refusals.push(refusal)
      }
    }
    await Promise.all(nodes.map(flood))
    const seconds = (await secondNow()) - firstSecond + 1
    const accepted = await runsOf(tenantId)
    expect(accepted).toBeLessThanOrEqual(quota * seconds)
    // Each node may leave unspent a part of the second's quota that it reserved.
    expect(accepted).toBeGreaterThan(quota)
    expect(refusals.length).toBeGreaterThan(0)
    for (const { code, quota: refused, retryAfterMs } of refusals) {
      expect([code, refused.name, refused.limit]).toEqual([
        'rate_exceeded',
        'submissionsPerSecond',
        quota,
      ])
      expect(refused.used).toBeGreaterThan(quota)
      expect(retryAfterMs).toBeGreaterThan(0)
      expect(retryAfterMs).toBeLessThanOrEqual(1_000)
    }
  }, 60_000)

  it('the submission quota counts every run of a batch, and refuses for good one that never fits', async () => {
    const tenantId = await aTenant({ submissionsPerSecond: 5 })
    const [a] = nodes
    const batch = (size: number) =>
      outcome(
        a.submit(
          Array.from({ length: size }, () => run()),
          { tenantId },
        ),
      )
    expect(await batch(6)).toMatchObject({ code: 'quota_exceeded', quota: { used: 6 } })
    expect(await runsOf(tenantId)).toBe(0)
    let refused: Refusal | null = null
    while (refused === null) refused = await batch(5)
    expect(refused).toMatchObject({ code: 'rate_exceeded', quota: { limit: 5, used: 10 } })
  })

  it('the submission quota is counted outside open transactions, so nobody waits for them', async () => {
    const tenantId = await aTenant({ submissionsPerSecond: 1_000 })
    const [a, b] = nodes
    await a.transaction(async () => {
      await a.submit([run()], { tenantId })
      await b.submit([run()], { tenantId })
    })
    expect(await runsOf(tenantId)).toBe(2)
  })
})

describe('quotas of starts and of concurrent runs', () => {
  async function claimable(tenantId: number, runs: number): Promise<void> {
    await t.store.submit(
      Array.from({ length: runs }, () => run()),
      { tenantId },
    )
  }
  const claimed = async (tenantId: number) => {
    const lanes = (await t.lanes(nodes[0])).filter((lane) => lane.tenantId === tenantId)
    const sessions = await Promise.all(nodes.map((node) => t.session(30_000, node)))
    const taken = []
    for (let round = 0; round < 30; round++) {
      const claims = nodes.map((node, i) =>
        node.work.claim({
          ...{ sessionId: sessions[i] as string, fence: systemRandom.token(), limit: 5, lanes },
        }),
      )
      for (const { runs } of await Promise.all(claims)) taken.push(...runs)
    }
    return { taken, sessions }
  }

  it('two nodes together never exceed the quota of concurrent runs (case 158)', async () => {
    const tenantId = await aTenant({ concurrentRuns: 7 })
    await claimable(tenantId, 30)
    const { taken, sessions } = await claimed(tenantId)
    expect(taken).toHaveLength(7)
    await t.store.tenants.update(tenantId, { quotas: { concurrentRuns: 9 } })
    expect((await claimed(tenantId)).taken).toHaveLength(2)
    for (const held of taken)
      for (const session of sessions) await t.store.work.settle(session, [succeeded(held)])
  })

  it('two nodes together never exceed the quota of dispatches per second (case 158)', async () => {
    const quota = 10
    const tenantId = await aTenant({ dispatchesPerSecond: quota })
    await claimable(tenantId, 60)
    const beganMs = systemClock.monotonicMs()
    const { taken } = await claimed(tenantId)
    const tookS = (systemClock.monotonicMs() - beganMs) / 1_000
    expect(taken.length).toBeGreaterThan(0)
    expect(taken.length).toBeLessThanOrEqual(Math.ceil(quota * tookS) + 1)
  })

  it('a tenant can limit itself below its quota, not above, and removing its limit keeps the quota', async () => {
    const tenantId = await aTenant({ concurrentRuns: 10 })
    const { limits } = t.store
    const none = { concurrency: null, rate: null, ageingMs: null, weight: null }
    const effectiveLimit = async () => (await limits.list(tenantId))[0]?.concurrency
    expect(await effectiveLimit()).toBe(10)
    const wider = limits.set(null, { ...none, concurrency: 11 }, null, tenantId)
    expect(await outcome(wider)).toMatchObject({ quota: { name: 'concurrentRuns', used: 11 } })
    await limits.set(null, { ...none, concurrency: 4 }, null, tenantId)
    expect(await effectiveLimit()).toBe(4)
    expect(await limits.remove(null, tenantId)).toBe(true)
    expect(await effectiveLimit()).toBe(10)
    await t.store.tenants.update(tenantId, { quotas: { concurrentRuns: null } })
    expect(await limits.list(tenantId)).toEqual([])
  })

  it('a quota that changes while the tenant sets its limit is never exceeded', async () => {
    const tenantId = await aTenant({ concurrentRuns: 10 })
    const none = { concurrency: null, rate: null, ageingMs: null, weight: null }
    for (let round = 0; round < 10; round++) {
      await t.store.tenants.update(tenantId, { quotas: { concurrentRuns: 10 } })
      await Promise.all([
        nodes[0].tenants.update(tenantId, { quotas: { concurrentRuns: 5 } }),
        outcome(nodes[1].limits.set(null, { ...none, concurrency: 8 }, null, tenantId)),
      ])
      const [limit] = await t.store.limits.list(tenantId)
      expect(limit?.concurrency).toBeLessThanOrEqual(5)
    }
  })
})

it('submissions in SQL are refused beyond payload and timeout quotas, and during a suspension', async () => {
  const tenantId = await aTenant({ payloadBytes: 10, timeoutMs: 60_000 })
  const { name } = await t.store.tenants.get(tenantId)
  const submit = async (payload: string, options: object) =>
    t.sql
      .query(`select punctual.submit('test', $1, $2)`, [
        payload,
        JSON.stringify({ tenant: name, ...options }),
      ])
      .then(
        () => null,
        (error: Error) => error.message,
      )
  expect(await submit('"12345678"', { timeout_ms: 60_000 })).toBeNull()
  expect(await submit('"123456789"', { timeout_ms: 60_000 })).toMatch(
    /^quota_exceeded: payload has 11 bytes as JSON; the quota payloadBytes of the tenant is 10/,
  )
  expect(await submit('1', {})).toMatch(
    /^quota_exceeded: timeout_ms is 300000; the quota timeoutMs/,
  )
  await t.store.tenants.suspend(tenantId, { note: null, by: null })
  expect(await submit('1', { timeout_ms: 1 })).toMatch(/^tenant_suspended: /)
})

it('a new quota applies on another node within two seconds without a hint', async () => {
  let movedMs = 0
  const monotonicMs = () => systemClock.monotonicMs() + movedMs
  const node = t.another({ ...systemClock, monotonicMs })
  const tenantId = await aTenant({})
  const submit = () => outcome(node.submit([run('"123"')], { tenantId }))
  expect(await submit()).toBeNull()
  await t.store.tenants.update(tenantId, { quotas: { payloadBytes: 3 } })
  movedMs += 2_000
  expect(await submit()).toMatchObject({ quota: { name: 'payloadBytes' } })
})

it('the quotas of a tenant that submits often are cached and need no extra statement', async () => {
  const tenantId = await aTenant({})
  const [a] = nodes
  await a.submit([run()], { tenantId })
  expect(a.quotas.admit(tenantId, [run()])).toBeUndefined()
})

it('a submission for an unknown tenant is refused', async () => {
  expect(await outcome(t.store.submit([run()], { tenantId: 99_999 }))).toMatchObject({
    code: 'tenant_not_found',
  })
})
