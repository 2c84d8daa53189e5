/** The audit log is append-only, sealed in the background, and detects tampering by superusers. */
import type { AuditWrite } from '@punctual/core/audit'
import { postgresMajors, TestStore } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const WRITE: AuditWrite = {
  tenantId: 1,
  actor: { kind: 'api_key', id: 'key_1', name: 'ci', ip: '10.0.0.7', requestId: 'req_1' },
  action: 'job.pause',
  target: { kind: 'job', id: '0001', name: 'nightly' },
  before: { paused: false },
  after: { paused: true },
  note: 'too loud',
}

describe.each(postgresMajors)('the audit log on PostgreSQL %s', (major) => {
  let t: TestStore
  beforeAll(async () => {
    t = await TestStore.open({ major })
  })
  afterAll(() => t.close())

  /** Changes rows as a superuser can: without triggers. */
  async function tamper(...statements: string[]): Promise<void> {
    await t.sql.query('set session_replication_role = replica')
    for (const statement of statements) await t.sql.query(statement)
    await t.sql.query('set session_replication_role = origin')
  }

  afterEach(() =>
    tamper(
      'truncate punctual.audit_log, punctual.audit_unsealed, punctual.audit_seals, punctual.audit_heads',
    ),
  )

  const write = async (more: Partial<AuditWrite> = {}) =>
    (await t.store.auditLog.append([{ ...WRITE, ...more }]))[0] as string
  const list = (more = {}) => t.store.auditLog.list({ chain: 1, limit: 100, ...more })
  const seal = (most = 500) => t.store.auditLog.sealing.seal(most)
  const verify = (...args: Parameters<typeof t.store.auditLog.verifying.verify>) =>
    t.store.auditLog.verifying.verify(...args)
  async function sealed(entries: number): Promise<string[]> {
    const ids: string[] = []
    for (let n = 1; n <= entries; n++) ids.push(await write({ note: `${n}` }))
    await seal()
    return ids
  }
  async function firstFault() {
    const [chain] = await verify(1)
    return chain?.fault
  }

  it('the audit log stores actor, action, target, address and both states (case 162)', async () => {
    const id = await write()
    const [entry] = await list()
    expect(entry).toEqual({ ...WRITE, id, at: expect.any(Date), seq: null, hash: null })
    await seal()
    expect((await list())[0]).toMatchObject({
      seq: 1,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('the audit log refuses changes and deletes, also from the table owner', async () => {
    await sealed(2)
    for (const statement of [
      "update punctual.audit_log set note = 'x'",
      'delete from punctual.audit_log',
      'truncate punctual.audit_log cascade',
      'update punctual.audit_seals set seq = seq + 1',
      'delete from punctual.audit_seals',
      'truncate punctual.audit_seals',
      'update punctual.audit_heads set seq = 1',
      'delete from punctual.audit_heads',
    ])
      await expect(t.sql.query(statement), statement).rejects.toMatchObject({ code: 'PN002' })
    expect(await firstFault()).toBeNull()
  })

  it('each tenant and the installation have a separate audit chain', async () => {
    await write()
    await write({ tenantId: 2 })
    await write({ tenantId: null })
    await write({ tenantId: 2 })
    expect(await seal()).toEqual({ sealed: 4, more: false })
    const chains = await verify(null)
    expect(chains.map(({ tenantId, sealed, fault }) => [tenantId, sealed, fault])).toEqual([
      [null, 1, null],
      [1, 1, null],
      [2, 2, null],
    ])
    expect((await list({ chain: null })).length).toBe(4)
    expect((await list({ chain: 0 })).map(({ tenantId }) => tenantId)).toEqual([null])
  })

  it('an audit entry that commits late is sealed after those already sealed', async () => {
    const late = new pg.Client({ connectionString: t.url })
    await late.connect()
    await late.query('begin')
    const [id] = await t.store.auditLog.append([{ ...WRITE, action: 'job.late' }], late)
    const [first] = await sealed(1)
    await late.query('commit')
    await late.end()
    expect(await seal()).toEqual({ sealed: 1, more: false })
    const places = (await list()).map((entry) => [entry.id, entry.seq])
    expect(places).toEqual([
      [first, 1],
      [id, 2],
    ])
    expect((id as string) < (first as string)).toBe(true)
    expect(await firstFault()).toBeNull()
  })

  it('concurrent sealers and writers seal every audit entry once', async () => {
    const stores = [t.store, t.another(), t.another(), t.another()]
    const writers = stores.map(async (store, i) => {
      for (let n = 0; n < 40; n++)
        await store.auditLog.append([{ ...WRITE, tenantId: (n % 3) + 1, note: `${i}:${n}` }])
    })
    const sealers = stores.map(async (store) => {
      for (let n = 0; n < 30; n++) await store.auditLog.sealing.seal(7)
    })
    await Promise.all([...writers, ...sealers])
    while ((await seal(50)).sealed > 0);
    const chains = await verify(null)
    expect(chains.every(({ fault, unsealed }) => fault === null && unsealed === 0)).toBe(true)
    expect(chains.reduce((sum, chain) => sum + chain.sealed, 0)).toBe(160)
  })

  it('audit writers do not wait for each other or for the sealer', async () => {
    const open = new pg.Client({ connectionString: t.url })
    await open.connect()
    await open.query('begin')
    await open.query(t.store.database.statements.get('audit-log/try-sealing').text)
    const id = await write()
    await open.query(
      "insert into punctual.audit_heads (chain, seq, hash, sealed_at) values (1, 1, '', now())",
    )
    await write()
    expect(await seal()).toEqual({ sealed: 0, more: false })
    await open.query('rollback')
    await open.end()
    expect(await seal()).toEqual({ sealed: 2, more: false })
    expect((await list()).map((entry) => entry.id)).toContain(id)
  })

  it('verifying the audit log counts the unsealed entries', async () => {
    await sealed(3)
    await write()
    await write()
    expect(await verify(1)).toMatchObject([{ sealed: 3, unsealed: 2, head: { seq: 3 } }])
  })

  it('verifying the audit log detects a changed field', async () => {
    const ids = await sealed(5)
    for (const change of [
      "note = 'x'",
      "actor_id = 'key_2'",
      "after = '{}'",
      "at = at + interval '1 microsecond'",
      'source_ip = null',
      'tenant_id = 2',
    ]) {
      await tamper(
        'create table kept as select * from punctual.audit_log',
        `update punctual.audit_log set ${change} where id = '${ids[2]}'`,
      )
      expect(await firstFault(), change).toMatchObject({ kind: 'changed', seq: 3, entryId: ids[2] })
      await tamper(
        'truncate punctual.audit_log cascade',
        'insert into punctual.audit_log select * from kept',
        'drop table kept',
      )
    }
    expect(await firstFault()).toBeNull()
  })

  it('verifying the audit log detects a removed entry, with or without its seal', async () => {
    const ids = await sealed(5)
    await tamper(`delete from punctual.audit_log where id = '${ids[1]}'`)
    expect(await firstFault()).toMatchObject({ kind: 'removed', seq: 2, entryId: ids[1] })
    await tamper(`delete from punctual.audit_seals where seq = 2`)
    expect(await firstFault()).toMatchObject({ kind: 'removed', seq: 2, entryId: null })
    await tamper('update punctual.audit_seals set seq = seq - 1 where seq > 2')
    expect(await firstFault()).toMatchObject({ kind: 'broken', seq: 2, entryId: ids[2] })
  })

  it('a removed tail of the audit log is detected by its stored head, or by an external head', async () => {
    const ids = await sealed(5)
    const [before] = await verify(1)
    const head = { chain: 1, ...(before?.head as { seq: number; hash: string }) }
    await tamper(
      `delete from punctual.audit_log where id in ('${ids[3]}', '${ids[4]}')`,
      'delete from punctual.audit_seals where seq > 3',
    )
    expect(await firstFault()).toMatchObject({ kind: 'removed', seq: 4 })
    await tamper(
      'update punctual.audit_heads h set seq = 3, hash = (select hash from punctual.audit_seals where seq = 3)',
    )
    expect(await firstFault()).toBeNull()
    expect(await verify(1, [head])).toMatchObject([{ fault: { kind: 'unexpected_head', seq: 4 } }])
    await write()
    await write()
    await seal()
    expect(await verify(1, [head])).toMatchObject([{ fault: { kind: 'unexpected_head', seq: 5 } }])
  })

  it('an external head of the audit log stays valid while the chain only grows', async () => {
    await sealed(3)
    const [before] = await verify(1)
    const head = { chain: 1, ...(before?.head as { seq: number; hash: string }) }
    await sealed(3)
    expect(await verify(1, [head])).toMatchObject([{ sealed: 6, fault: null }])
    await tamper(
      'truncate punctual.audit_log, punctual.audit_unsealed, punctual.audit_seals, punctual.audit_heads',
    )
    expect(await verify(null, [head])).toMatchObject([
      { tenantId: 1, fault: { kind: 'unexpected_head' } },
    ])
  })

  it('verifying the audit log detects two swapped entries', async () => {
    const ids = await sealed(4)
    await tamper(
      'alter table punctual.audit_seals drop constraint audit_seals_entry_id_key',
      `update punctual.audit_seals s set entry_id = o.entry_id, content = o.content
       from punctual.audit_seals o where s.seq in (2, 3) and o.seq = 5 - s.seq`,
      'alter table punctual.audit_seals add unique (entry_id)',
    )
    expect(await firstFault()).toMatchObject({ kind: 'broken', seq: 2, entryId: ids[2] })
  })

  it('verifying the audit log detects an inserted entry, with or without a seal', async () => {
    await sealed(3)
    const put = `insert into punctual.audit_log (id, tenant_id, actor_kind, action, target_kind)
      values ('00000000-0000-7000-8000-000000000001', 1, 'cli', 'job.delete', 'job')`
    await t.sql.query(put)
    expect(await firstFault()).toMatchObject({
      kind: 'added',
      seq: null,
      entryId: '00000000-0000-7000-8000-000000000001',
    })
    await tamper(
      'update punctual.audit_seals set seq = seq + 100 where seq >= 2',
      'update punctual.audit_seals set seq = seq - 99 where seq > 100',
      `insert into punctual.audit_seals (chain, seq, entry_id, content, hash)
       select 1, 2, '00000000-0000-7000-8000-000000000001', content, hash from punctual.audit_seals where seq = 1`,
      'update punctual.audit_heads set seq = 4',
    )
    expect(await firstFault()).toMatchObject({ kind: 'changed', seq: 2 })
  })

  it('verifying the audit log detects an entry removed before it was sealed', async () => {
    const id = await write()
    await tamper('delete from punctual.audit_log')
    expect(await firstFault()).toMatchObject({ kind: 'removed', seq: null, entryId: id })
  })

  it('paging through the audit log during writes neither repeats nor skips an entry', async () => {
    const ids = await sealed(25)
    const seen: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await list({ limit: 10, ...(after && { after }) })
      seen.push(...page.map((entry) => entry.id))
      if (page.length < 10) break
      after = page.at(-1)?.id as string
      await write({ note: 'meanwhile' })
    }
    expect(seen).toEqual(ids.reverse())
  })

  it('audit entries are found by action, target, actor and time', async () => {
    await write({ action: 'job.pause' })
    await write({ action: 'job.resume', actor: { kind: 'cli', name: 'ann@host' } })
    await write({ action: 'queue.pause', target: { kind: 'queue', id: null, name: 'mail' } })
    const actions = async (more: object) => (await list(more)).map((entry) => entry.action)
    expect(await actions({ action: 'job.pause' })).toEqual(['job.pause'])
    expect(await actions({ action: 'job.*' })).toEqual(['job.resume', 'job.pause'])
    expect(await actions({ targetKind: 'queue' })).toEqual(['queue.pause'])
    expect(await actions({ target: 'mail' })).toEqual(['queue.pause'])
    expect(await actions({ target: '0001' })).toEqual(['job.resume', 'job.pause'])
    expect(await actions({ actor: 'ann@host' })).toEqual(['job.resume'])
    expect(await actions({ actor: 'key_1' })).toEqual(['queue.pause', 'job.pause'])
    const nowMs = Date.now()
    expect(await actions({ fromMs: nowMs + 3_600_000 })).toEqual([])
    expect(await actions({ toMs: nowMs - 3_600_000 })).toEqual([])
    expect((await actions({ fromMs: nowMs - 3_600_000, toMs: nowMs + 3_600_000 })).length).toBe(3)
  })

  it('a page of audit entries is read by an index without a sort, for one tenant or all', async () => {
    const bounds = `'${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}', '${'f'.repeat(8)}-ffff-ffff-ffff-${'f'.repeat(12)}'`
    // An installation with many tenants.
    const many = Array.from({ length: 2_000 }, (_, n) => ({ ...WRITE, tenantId: (n % 200) + 1 }))
    await t.store.auditLog.append(many)
    await t.sql.query('analyze punctual.audit_log')
    await t.sql.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
    for (const [path, first, index] of [
      ['list-entries', '1, ', 'audit_log_chain'],
      ['list-all-entries', '', 'audit_log_pkey'],
    ]) {
      const { text } = t.store.database.statements.get(`audit-log/${path}`)
      await t.sql.query(`prepare page as ${text}`)
      const { rows } = await t.sql.query(
        `explain execute page (${first}${bounds}, null, null, null, null, null, null, 100)`,
      )
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).toContain(`Scan Backward using ${index}`)
      expect(plan).not.toContain('Sort')
      await t.sql.query('deallocate page')
    }
    await t.sql.query('reset plan_cache_mode; reset enable_seqscan')
  })

  it('erasing a tenant removes its audit entries and chain, and no others', async () => {
    await write()
    await write({ tenantId: 2 })
    await seal()
    await write({ tenantId: 2 })
    const erased = await t.store.transaction(() => t.store.auditLog.erase(2))
    expect(erased).toMatchObject({ entries: 2, head: { seq: 1 } })
    expect(await verify(null)).toMatchObject([{ tenantId: 1, sealed: 1, fault: null }])
    await expect(t.sql.query('delete from punctual.audit_log')).rejects.toMatchObject({
      code: 'PN002',
    })
  })
})
