/** Row security between tenants, tested as the role that requests use, never as the table owner. */
import { compileJob } from '@punctual/core/job'
import { compileOptions, makeSubmission } from '@punctual/core/submit'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let t: TestStore
let other = 0
/** Tables with a tenant column, partitions included. */
let tables: string[]

/**
 * Access of tenants to tables without a tenant column: docs/concepts/tenant-isolation.md. That page
 * decides about each new table.
 */
const WITHOUT_TENANT = {
  own: ['tenants', 'audit_heads', 'audit_seals', 'audit_unsealed', 'group_members'],
  ofTheirs: ['gated', 'job_holds'],
  forAll: ['day_sums', 'past_sessions', 'rates', 'timings'],
  noted: ['carried_changes'],
  closed: ['callback_keys', 'migrations', 'planners', 'rate_starts', 'row_security'],
}

beforeAll(async () => {
  t = await TestStore.open()
  await t.store.check()
  other = (await t.store.tenants.create('other', { by: null, note: null }, {})).id
  for (const tenantId of [1, other]) {
    const job = { name: 'job', handler: 'h', cron: '0 0 1 1 *' }
    await t.store.schedules.jobs.upsert(
      [compileJob(job, { timezone: 'UTC', jitterMs: 0 })],
      tenantId,
    )
    const submission = makeSubmission(compileOptions('h', { key: 'key' }), 'null')
    await t.store.submit([submission, makeSubmission(compileOptions('h'), 'null')], { tenantId })
  }
  const { rows } = await t.sql.query(`
    select c.relname from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'punctual'::regnamespace and c.relkind in ('r', 'p') order by 1`)
  tables = rows.map(({ relname }) => relname)
})
afterAll(() => t.close())

/** Runs `work` as the tenant role, with `punctual.tenant` set to `tenant`, or unset. */
async function asRole<T>(tenant: string | null, work: () => Promise<T>): Promise<T> {
  await t.sql.query('begin; set local role punctual_tenant')
  try {
    if (tenant !== null) await t.sql.query(`set local punctual.tenant = '${tenant}'`)
    return await work()
  } finally {
    await t.sql.query('rollback')
  }
}

const count = async (text: string) => (await t.sql.query(text)).rowCount
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    ({ code }: { code: string }) => code,
  )

describe('the policies', () => {
  it('row security is on, and its role can neither log in nor bypass policies (case 154)', async () => {
    expect(t.store.rowSecurity.state).toBe('up')
    const { rows } = await t.sql.query(
      "select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole from pg_roles where rolname = 'punctual_tenant'",
    )
    expect(Object.values(rows[0])).toEqual([false, false, false, false])
  })

  it('every table with a tenant column has a policy for reading and writing (case 154)', async () => {
    const { rows } = await t.sql.query(
      `
      select c.relname, c.relrowsecurity as on, pg_get_expr(p.polqual, c.oid) as sees,
        pg_get_expr(p.polwithcheck, c.oid) as writes
      from pg_class c left join pg_policy p on p.polrelid = c.oid and p.polname = 'tenant_isolation'
      where c.relnamespace = 'punctual'::regnamespace and c.relname = any ($1)`,
      [tables],
    )
    expect(tables.length).toBeGreaterThan(30)
    for (const { relname, on, sees, writes } of rows) {
      expect([relname, on]).toEqual([relname, true])
      for (const rule of [sees, writes])
        expect(rule, relname).toMatch(/tenant_id = .*punctual\.tenant/)
    }
  })

  it('every table without a tenant column is listed with its access', async () => {
    const { rows } = await t.sql.query(
      `
      select c.relname from pg_class c
      where c.relnamespace = 'punctual'::regnamespace and c.relkind in ('r', 'p') and c.relname <> all ($1)`,
      [tables],
    )
    expect(rows.map(({ relname }) => relname).sort()).toEqual(
      Object.values(WITHOUT_TENANT).flat().sort(),
    )
    for (const name of WITHOUT_TENANT.closed)
      expect(await asRole('1', () => codeOf(t.sql.query(`select from punctual.${name}`)))).toBe(
        '42501',
      )
  })

  it('no function or view bypasses row security with the privileges of its owner (case 154)', async () => {
    const { rows } = await t.sql.query(`
      select proname as name from pg_proc
      where pronamespace = 'punctual'::regnamespace and prosecdef
      union all
      select relname from pg_class
      where relnamespace = 'punctual'::regnamespace and relkind in ('v', 'm')
        and not coalesce(reloptions @> array['security_invoker=true'], false)`)
    expect(rows).toEqual([])
  })
})

describe('the tenant role', () => {
  it('a tenant sees only its own rows in every table', async () => {
    await asRole(String(other), async () => {
      for (const table of tables) {
        const foreign = table === 'sessions' ? 'is not null and tenant_id' : ''
        const rows = await count(
          `select from punctual.${table} where tenant_id ${foreign} <> ${other}`,
        )
        expect([table, rows]).toEqual([table, 0])
      }
      for (const table of ['jobs', 'runs', 'lanes', 'live_keys', 'cursors'])
        expect([table, await count(`select from punctual.${table}`)]).not.toEqual([table, 0])
      expect(await count('select from punctual.tenants')).toBe(1)
    })
  })

  it('a tenant cannot change or delete rows of another tenant', async () => {
    const touched = (text: string) =>
      asRole(String(other), () => count(text).catch(({ code }) => code as string))
    for (const table of tables) {
      const changed = await touched(
        `update punctual.${table} set tenant_id = tenant_id where tenant_id = 1`,
      )
      const deleted = await touched(`delete from punctual.${table} where tenant_id = 1`)
      for (const result of [changed, deleted]) expect([0, '42501'], table).toContain(result)
    }
  })

  it('a tenant cannot insert rows for another tenant, or reassign its own', async () => {
    const { rows } = await t.sql.query('select id::text from punctual.runs limit 1')
    const id = rows[0].id
    for (const table of tables) {
      const given = JSON.stringify({
        ...{ tenant_id: 1, run_id: id, slot_at: new Date() },
        ...(/^runs/.test(table) && { id }),
      })
      const result = await asRole(String(other), () =>
        codeOf(
          t.sql.query(
            `insert into punctual.${table} overriding system value select (jsonb_populate_record(null::punctual.${table}, $1)).*`,
            [given],
          ),
        ),
      )
      expect([table, result]).toEqual([table, '42501'])
    }
    const reassign = 'update punctual.jobs set tenant_id = 1'
    expect(await asRole(String(other), () => codeOf(t.sql.query(reassign)))).toBe('42501')
  })

  it.each([
    ['not set', null],
    ['empty, as after a transaction', ''],
  ])('when the tenant is %s, no row is visible or writable (case 154)', async (_, tenant) => {
    await asRole('1', () => count('select from punctual.jobs'))
    for (const table of tables.filter((name) => name !== 'sessions'))
      expect([table, await asRole(tenant, () => count(`select from punctual.${table}`))]).toEqual([
        table,
        0,
      ])
    const insert =
      "insert into punctual.live_keys (tenant_id, key, run_id) values (1, 'x', gen_random_uuid())"
    expect(await asRole(tenant, () => codeOf(t.sql.query(insert)))).toBe('42501')
  })
})

describe('asTenant', () => {
  const jobs = { name: '', text: 'select tenant_id from punctual.jobs order by 1' }
  const who = { name: '', text: "select current_user, current_setting('punctual.tenant', true)" }
  const read = (statement = jobs) => t.store.database.control.query(statement)

  it('asTenant applies to single statements and transactions, and ends with them (case 154)', async () => {
    const owner = (await read(who))[0]?.[0]
    expect(await t.store.asTenant(other, () => read())).toEqual([[String(other)]])
    expect(await t.store.asTenant(other, () => read(who))).toEqual([
      ['punctual_tenant', String(other)],
    ])
    // The same connection, the next statement.
    const [after] = await read(who)
    expect([after?.[0], after?.[1] || null]).toEqual([owner, null])
    expect(await read()).toEqual([['1'], [String(other)]])
    const inTransaction = () => t.store.transaction(() => read())
    expect(await t.store.asTenant(other, inTransaction)).toEqual([[String(other)]])
    expect(await t.store.asTenant(1, inTransaction)).toEqual([['1']])
    expect(await inTransaction()).toEqual([['1'], [String(other)]])
  })

  it('asTenant ends with a failing statement and with a rollback (case 154)', async () => {
    const wrong = { name: '', text: 'select 1 / 0' }
    await expect(t.store.asTenant(other, () => read(wrong))).rejects.toThrow('division by zero')
    await expect(
      t.store.asTenant(other, () => t.store.transaction(() => read(wrong))),
    ).rejects.toThrow('division by zero')
    expect(await read()).toEqual([['1'], [String(other)]])
    expect(await t.store.transaction(() => read())).toEqual([['1'], [String(other)]])
  })

  it('asTenant separates concurrent tenants on one connection', async () => {
    const seen = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        i % 3 === 0 ? read() : t.store.asTenant(i % 3 === 1 ? 1 : other, () => read()),
      ),
    )
    const expected = [[['1'], [String(other)]], [['1']], [[String(other)]]]
    expect(seen).toEqual(Array.from({ length: 40 }, (_, i) => expected[i % 3]))
  })
})

describe('an owner without CREATEROLE', () => {
  it('without the right to create roles, row security is off and everything else works', async () => {
    const role = `weak_${Date.now()}`
    await t.sql.query(`create role ${role} login password 'x'`)
    await t.sql.query(`grant create on database ${new URL(t.url).pathname.slice(1)} to ${role}`)
    const url = new URL(t.url)
    url.username = role
    url.password = 'x'
    const store = new PostgresStore({
      ...{ url: url.href, schema: 'weak', clock: systemClock, random: systemRandom, node: 'weak' },
    })
    try {
      await store.migrate()
      expect(store.rowSecurity.state).toBe('no_role')
      const text = 'select name from weak.tenants'
      const seen = await store.asTenant(1, () => store.database.control.query({ name: '', text }))
      expect(seen).toEqual([['default']])
    } finally {
      await store.close()
      await t.sql.query(
        `drop schema if exists weak cascade; drop owned by ${role}; drop role ${role}`,
      )
    }
  })
})
