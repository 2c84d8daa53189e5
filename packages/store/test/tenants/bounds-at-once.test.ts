/**
 * Bounds on the rows of a tenant hold for callers that add rows at the same time, also from several
 * processes: each counts what the one before has committed.
 */
import { randomBytes } from 'node:crypto'
import { limits } from '@punctual/core/errors'
import { Keyring, type PostgresStore, systemRandom } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SecretStore } from '../../src/secrets/secret-store.ts'

const CALLERS = 8
const PROCESSES = 4
const ROOM = 3
const by = { note: null, by: null }
const keyring = new Keyring([randomBytes(32).toString('base64')])

let t: TestStore
let stores: PostgresStore[]
let tenantId: number
beforeAll(async () => {
  t = await TestStore.open()
  stores = Array.from({ length: PROCESSES }, () => t.another())
  tenantId = (await t.store.tenants.create('acme', by, { sessions: 100 })).id
})
afterAll(() => t.close())

const session = (n: number) => ({
  ...{ id: systemRandom.token(), tenantId, sessionsMax: 100, host: 'h', pid: n, version: '0' },
  ...{ handlers: ['test'], queues: [], labels: {}, capacity: 1, leaseMs: 30_000 },
})
const noLimits = { concurrency: 1, rate: null, ageingMs: null, weight: null }

it.each<[string, string, number, (store: PostgresStore, n: number) => Promise<unknown>]>([
  [
    'calendars',
    `insert into punctual.calendars (tenant_id, version, updated_at, name, spec)
     select $1, 1, now(), 'row' || n, '{}' from generate_series(1, $2::integer) n`,
    limits.calendarsPerTenant,
    (store, n) => store.schedules.calendars.set(`c${n}`, { exclude: ['2001-01-01'] }, tenantId),
  ],
  [
    'secrets',
    `insert into punctual.secrets
       (tenant_id, name, version, key_id, nonce, ciphertext, created_at, updated_at)
     select $1, 'row' || n, 1, 'k', decode(repeat('00', 12), 'hex'),
       decode(repeat('00', 32), 'hex'), now(), now()
     from generate_series(1, $2::integer) n`,
    limits.secretsPerTenant,
    (store, n) =>
      new SecretStore(store.database, keyring).set(tenantId, `s${n}`, 'a long value', null),
  ],
  [
    'pauses',
    `insert into punctual.pauses (tenant_id, paused_at, queue)
     select $1, now(), 'row' || n from generate_series(1, $2::integer) n`,
    limits.pausesPerTenant,
    (store, n) => store.queues.pause(`p${n}`, by, tenantId),
  ],
  [
    'limits',
    `insert into punctual.limits (tenant_id, queue, concurrency, set_at)
     select $1, 'row' || n, 1, now() from generate_series(1, $2::integer) n`,
    limits.limitsPerTenant,
    (store, n) => store.limits.set(`l${n}`, noLimits, null, tenantId),
  ],
  [
    'sessions',
    `insert into punctual.sessions
       (id, opened_at, renewed_at, expires_at, lease_ms, tenant_id, pid, capacity, state, host,
        version, handlers, queues, labels)
     select n, now(), now(), now() + interval '1 hour', 30000, $1, 1, 1, 'active', 'h', 'v', '{}',
       '{}', '{}'
     from generate_series(1, $2::integer) n`,
    100,
    (store, n) => store.work.openSession(session(n)),
  ],
  [
    'api_keys',
    `insert into punctual.api_keys (tenant_id, name, prefix, hash, scopes)
     select $1, 'row' || n, lpad(n::text, 12, '0'), decode(repeat('00', 32), 'hex'), '{read}'
     from generate_series(1, $2::integer) n`,
    limits.apiKeysPerTenant,
    (store, n) =>
      store.apiKeys.create({
        name: `k${n}`,
        tenantId,
        scopes: ['read'],
        expiresAt: null,
        by: null,
      }),
  ],
])(
  'callers that add %s at the same time do not exceed their number',
  async (table, fill, most, add) => {
    await t.sql.query(fill, [tenantId, most - ROOM])
    const calls = stores.flatMap((store, i) =>
      Array.from({ length: CALLERS }, (_, n) => add(store, i * CALLERS + n)),
    )
    const ends = await Promise.allSettled(calls)
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    expect(refused).toHaveLength(PROCESSES * CALLERS - ROOM)
    for (const error of refused) expect(error).toMatchObject({ code: 'quota_exceeded' })
    const { rows } = await t.sql.query(
      `select count(*)::integer as n from punctual.${table} where tenant_id = $1`,
      [tenantId],
    )
    expect(rows[0].n).toBe(most)
  },
)
