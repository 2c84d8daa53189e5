/** A tenant through the library: its usage, its export, and its erasure. */
import { eventually, migratedDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual, type TenantScope } from 'punctual'
import { afterAll, beforeAll, expect, it } from 'vitest'

let punctual: Punctual
let sql: pg.Client
let drop: () => Promise<void>
beforeAll(async () => {
  const database = await migratedDatabase()
  drop = database.drop
  punctual = await Punctual.start({ databaseUrl: database.url, roles: ['worker', 'planner'] })
  punctual.handler('echo', async (payload: unknown, ctx) => {
    const untilMs = performance.now() + 2
    ctx.log.info('a line')
    // Durations are whole milliseconds.
    while (performance.now() < untilMs);
    return payload
  })
  punctual.handler('fail', async () => Promise.reject(new Error('no')))
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterAll(async () => {
  await sql.end()
  await punctual.stop({ drainMs: 0 })
  await drop()
})

async function aTenant(name: string): Promise<TenantScope> {
  return punctual.tenant((await punctual.tenants.create({ name, note: 'a shop' })).id)
}

const LABELS = { camelCase: 'stays' }

/** Fills every table: runs that succeed and die, a job, a calendar, a limit, a group, keys. */
async function fill(tenant: TenantScope): Promise<void> {
  await tenant.jobs.calendars.set('days', { exclude: ['2030-01-01'] })
  await tenant.jobs.upsert({
    ...{ name: 'nightly', handler: 'echo', cron: '0 3 * * *', calendars: ['days'] },
    payload: { camelCase: 1 },
  })
  await tenant.jobs.skip('nightly', (await tenant.jobs.get('nightly'))?.nextAt as Date)
  await tenant.jobs.trigger('nightly')
  await tenant.limits.set({ queue: 'narrow', concurrency: 2 })
  const done = await tenant.submit(
    'echo',
    { ä: 12_345_678_901 },
    { labels: LABELS, queue: 'narrow' },
  )
  const died = await tenant.submit('fail', null, {
    maxAttempts: 2,
    retry: { backoff: { kind: 'fixed', delayMs: 1 } },
  })
  await tenant.submit('echo', 'later', { delayMs: 3_600_000, key: 'k', window: '1h' })
  await tenant.submit('echo', 'gated', {
    ...{
      delayMs: 3_600_000,
      concurrency: { key: 'g', limit: 1 },
      rate: { key: 'r', limit: 1, per: 'second' },
    },
  })
  await tenant.groups.submit({ runs: [{ handler: 'echo', payload: 1 }] })
  await tenant.queues.pause('elsewhere')
  await punctual.apiKeys.create({ name: 'k', tenant: tenant.tenantId, scopes: ['read'] })
  for (const { id } of [done, died]) await tenant.runs.waitFor(id, { timeoutMs: 60_000 })
}

/** The number of the tenant's rows in each table. */
async function rowsOf(tenantId: number): Promise<Record<string, number>> {
  const { rows } = await sql.query(
    `select relname from pg_class c where relnamespace = 'punctual'::regnamespace
       and relkind in ('r', 'p') and not relispartition
       and exists (select from pg_attribute where attrelid = c.oid and attname = 'tenant_id')`,
  )
  const counts: Record<string, number> = {}
  for (const { relname } of rows) {
    const text = `select count(*)::int as n from punctual.${relname} where tenant_id = $1`
    const found = await sql.query(text, [tenantId])
    if (found.rows[0].n > 0) counts[relname] = found.rows[0].n
  }
  return counts
}

const total = async (table: string) =>
  (await sql.query(`select count(*)::int as n from punctual.${table}`)).rows[0].n

it('a usage report shows the tenant by day, and nothing of other tenants', async () => {
  const [tenant, other] = [await aTenant('counted'), await aTenant('uncounted')]
  const ids = await tenant.submitMany('echo', ['12', '1234'])
  const died = await tenant.submit('fail', null, { maxAttempts: 1 })
  for (const { id } of [...ids, died]) await tenant.runs.waitFor(id, { timeoutMs: 60_000 })
  // The log of a run is stored before it is settled.
  const days = await punctual.tenants.usage('counted')
  expect(days).toHaveLength(8)
  const today = days.at(-1)
  expect(today).toMatchObject({
    ...{ day: new Date().toISOString().slice(0, 10), runs: 3, succeeded: 2, endedOtherwise: 1 },
    ...{ attempts: 3, payloadBytes: 4 + 6 + 4, outputBytes: 4 + 6, logBytes: 2 * (6 + 50) },
  })
  expect(today?.runSeconds).toBeGreaterThan(0)
  const nothing = await punctual.tenants.usage(other.tenantId, {
    from: Date.now() - 1,
    to: Date.now(),
  })
  expect(nothing).toMatchObject([{ runs: 0, runSeconds: 0, logBytes: 0 }])
  await expect(punctual.tenants.usage('nobody')).rejects.toMatchObject({ code: 'tenant_not_found' })
  await expect(
    punctual.tenants.usage('counted', { from: '2020-01-01T00:00:00Z' }),
  ).rejects.toMatchObject({ code: 'invalid_option', field: 'to' })
})

it('an export has the declarations and runs of a tenant, as lines of JSON in snake_case', async () => {
  const tenant = await aTenant('exported')
  await fill(tenant)
  const lines: string[] = []
  for await (const line of punctual.tenants.export('exported')) lines.push(line)
  for (const line of lines) expect(line.endsWith('}\n')).toBe(true)
  const all = lines.map((line) => JSON.parse(line))
  const ofType = (type: string) => all.filter((line) => line.type === type)
  expect(ofType('tenant')).toMatchObject([{ name: 'exported', note: 'a shop', suspended_at: null }])
  expect(ofType('calendar')).toMatchObject([
    { name: 'days', calendar: { exclude: ['2030-01-01'] } },
  ])
  expect(ofType('limit')).toMatchObject([{ queue: 'narrow', concurrency: 2, ageing_ms: null }])
  expect(ofType('job')).toMatchObject([{ name: 'nightly', payload: { camelCase: 1 } }])
  expect(ofType('run')).toHaveLength(6)
  expect(ofType('run').find(({ queue }) => queue === 'narrow')).toMatchObject({
    ...{ handler: 'echo', state: 'succeeded', attempts: 1, labels: LABELS },
    ...{ payload: { ä: 12_345_678_901 }, output: { ä: 12_345_678_901 } },
  })
  expect(ofType('run').find(({ state }) => state === 'dead')).toMatchObject({
    ...{ handler: 'fail', error: { message: 'no' } },
  })
  const none = []
  for await (const line of punctual.tenants.export('exported', { to: '2020-01-01T00:00:00Z' }))
    none.push(JSON.parse(line).type)
  expect(none).toEqual(['tenant', 'calendar', 'limit', 'job'])
})

it('erasing removes everything of a tenant, refuses the default one, and leaves others alone', async () => {
  const [tenant, neighbour] = [await aTenant('erased'), await aTenant('neighbour')]
  await fill(tenant)
  await fill(neighbour)
  const { tenantId } = tenant
  const before = await rowsOf(neighbour.tenantId)
  const [gated, members] = [await total('gated'), await total('group_members')]
  expect(Object.keys(await rowsOf(tenantId)).length).toBeGreaterThan(15)
  const { key } = await punctual.apiKeys.create({ name: 'k', tenant: 'erased', scopes: ['read'] })

  const wrong = punctual.tenants.erase('erased', { confirm: 'neighbour' })
  await expect(wrong).rejects.toMatchObject({ code: 'invalid_option', field: 'confirm' })
  const own = punctual.tenants.erase('default', { confirm: 'default' })
  await expect(own).rejects.toMatchObject({ code: 'tenant_protected' })

  // The first erasure is stopped at its beginning, and repeated.
  const stopped = AbortSignal.abort(new Error('not now'))
  const first = punctual.tenants.erase('erased', { confirm: 'erased', signal: stopped })
  await expect(first).rejects.toThrow('not now')
  await expect(tenant.submit('echo', 1)).rejects.toMatchObject({ code: 'tenant_suspended' })
  await expect(punctual.authenticate(key)).rejects.toMatchObject({ code: 'unauthenticated' })

  const progress: number[] = []
  const result = await punctual.tenants.erase('erased', {
    confirm: 'erased',
    onProgress: ({ rows }) => progress.push(rows),
  })
  expect(result).toMatchObject({ id: tenantId, name: 'erased' })
  expect(progress.at(-1)).toBe(result.rows)
  expect(await rowsOf(tenantId)).toEqual({})
  expect([await total('gated'), await total('group_members')]).toEqual([gated - 1, members - 1])
  expect(await punctual.tenants.get('erased')).toBeNull()
  expect(await punctual.tenants.get(tenantId)).toBeNull()
  expect(await rowsOf(neighbour.tenantId)).toMatchObject(before)

  const again = await punctual.tenants.create({ name: 'erased' })
  expect(again.id).toBeGreaterThan(tenantId)
  const run = await punctual.tenant(again.id).submit('echo', 'new')
  await punctual.tenant(again.id).runs.waitFor(run.id, { timeoutMs: 60_000 })
  await expect(tenant.submit('echo', 1)).rejects.toMatchObject({ code: 'tenant_suspended' })
}, 60_000)

it('concurrent erasures leave one entry, and the others learn that the tenant is gone', async () => {
  const tenant = await aTenant('raced')
  await tenant.jobs.upsert({ name: 'last', handler: 'echo', cron: '@daily' })
  const [entry] = await punctual.audit.list({ tenantId: tenant.tenantId })
  expect(entry?.action).toBe('job.create')
  await eventually('it is sealed', async () => {
    await punctual.store.auditLog.sealing.seal(1_000)
    return (await punctual.audit.list({ tenantId: tenant.tenantId }))[0]?.seq === 1
  })
  const ends = await Promise.allSettled(
    Array.from({ length: 4 }, () => punctual.tenants.erase('raced', { confirm: 'raced' })),
  )
  const results = ends.map((end) => (end.status === 'fulfilled' ? 'erased' : end.reason.code))
  expect(results.toSorted()).toEqual(['erased', ...Array(3).fill('tenant_not_found')])
  const entries = await punctual.audit.list({ action: 'tenant.erase', target: 'raced' })
  expect(entries).toMatchObject([
    { tenantId: null, after: { audit: { entries: 1, head: { seq: 1 } } } },
  ])
  expect(await rowsOf(tenant.tenantId)).toEqual({})
  await expect(punctual.tenants.erase('raced', { confirm: 'raced' })).rejects.toMatchObject({
    code: 'tenant_not_found',
  })
}, 60_000)

it('a handler that runs while its tenant is erased settles nothing', async () => {
  const tenant = await aTenant('busy')
  let finish = () => {}
  let started = false
  punctual.handler('slow', async () => {
    started = true
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    return 'too late'
  })
  await tenant.submit('slow', null)
  await eventually('it runs', () => started)
  await punctual.tenants.erase('busy', { confirm: 'busy' })
  finish()
  await eventually('nothing runs', () => punctual.running === 0)
  const left = await rowsOf(tenant.tenantId)
  expect(left.outcomes).toBeUndefined()
  expect(left.runs).toBeUndefined()
}, 60_000)
