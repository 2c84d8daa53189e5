/**
 * API keys: only a hash is stored, every node accepts the same keys, and a revocation reaches all
 * nodes.
 */
import { makeApiKey, type Scope } from '@punctual/core/identity'
import { type PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
let acme: number
beforeAll(async () => {
  t = await TestStore.open()
  acme = (await t.store.tenants.create('acme', { note: null, by: null })).id
})
afterAll(() => t.close())

const aKey = (options: { scopes?: Scope[]; expiresAt?: Date; tenantId?: number | null } = {}) =>
  t.store.apiKeys.create({
    ...{ name: 'ci', tenantId: acme, scopes: ['read', 'submit'], expiresAt: null, by: 'ann' },
    ...options,
  })

const enter = async (key: string, store = t.store) => store.authenticator.authenticate(key)

const refused = (key: string, store?: PostgresStore) =>
  enter(key, store).then(
    () => null,
    (error: { code: string; message: string }) => `${error.code}: ${error.message.split('.')[0]}`,
  )

it('an API key authenticates and identifies its caller, and its secret is stored nowhere', async () => {
  const { key, ...made } = await aKey()
  expect(made).toMatchObject({ name: 'ci', prefix: key.slice(0, 21), tenantName: 'acme' })
  expect(await enter(key)).toEqual({
    ...{ keyId: made.id, keyName: 'ci', tenantId: acme, tenantName: 'acme' },
    ...{ tenantSuspended: false, scopes: ['read', 'submit'] },
  })
  const { rows } = await t.sql.query('select k::text as text from punctual.api_keys k')
  const secret = key.slice(22, -7)
  for (const { text } of rows) expect(text).not.toContain(secret)
})

it('an API key that is malformed, unknown or has a wrong secret is refused', async () => {
  const { key } = await aKey()
  const unknown = 'unauthenticated: The API key is unknown'
  expect(await refused(makeApiKey(systemRandom))).toBe(unknown)
  expect(await refused(key.toUpperCase())).toMatch(/^unauthenticated: The API key is malformed/)
  expect(await refused('')).toMatch(/malformed/)
  // The public prefix of one key with the secret of another, as an attacker with a key list would
  // try.
  const other = await aKey()
  await t.sql.query('update punctual.api_keys set prefix = $1 where id = $2', [
    ...[`${other.prefix.slice(0, -1)}_`, other.id],
  ])
  await t.sql.query('update punctual.api_keys set prefix = $1 where prefix = $2', [
    ...[other.prefix, key.slice(0, 21)],
  ])
  expect(await refused(other.key)).toBe(unknown)
})

it('an API key is refused once it expires, although it is cached', async () => {
  const { key } = await aKey({ expiresAt: new Date(Date.now() + 500) })
  await eventually('the key expires', async () => /has expired/.test((await refused(key)) ?? ''))
})

/** A node whose clock stands still until the test moves it, so that its cache does not age. */
function aFrozenNode() {
  // An integer: a fraction makes the difference of two readings round to just below two seconds.
  const startMs = Math.round(systemClock.monotonicMs())
  let movedMs = 0
  const node = t.another({ ...systemClock, monotonicMs: () => startMs + movedMs })
  return { node, move: (ms: number) => (movedMs += ms) }
}

it('without hints, another node refuses a revoked key after exactly two seconds', async () => {
  const { node, move } = aFrozenNode()
  const { key, id } = await aKey()
  await enter(key, node)
  expect(await t.store.apiKeys.revoke(id, null, 'ann')).toBe(true)
  expect(await refused(key), 'the revoking node refuses it at once').toMatch(/is revoked/)
  move(1_999)
  expect(await refused(key, node)).toBeNull()
  move(1)
  expect(await refused(key, node)).toMatch(/is revoked/)
  expect(await t.store.apiKeys.revoke(id, null, 'again')).toBe(false)
  expect(await t.store.apiKeys.find(id, acme)).toMatchObject({ revokedBy: 'ann' })
})

it('with hints, another node applies revocations, suspensions and resumptions at once', async () => {
  const { node } = aFrozenNode()
  node.signals.listen()
  await node.database.claim.ready()
  const [revoked, kept] = [await aKey(), await aKey()]
  for (const { key } of [revoked, kept]) await enter(key, node)
  await t.store.apiKeys.revoke(revoked.id, null, null)
  await eventually('the key is refused', async () => (await refused(revoked.key, node)) !== null)
  const suspended = async () => (await enter(kept.key, node)).tenantSuspended
  await t.store.tenants.suspend('acme', { note: null, by: null })
  await eventually('the tenant is suspended', suspended)
  await t.store.tenants.resume('acme')
  await eventually('the tenant is resumed', async () => !(await suspended()))
})

it('a lookup that overlaps the revocation of its key is not cached', async () => {
  const { key, id } = await aKey()
  const lookup = enter(key)
  await t.store.apiKeys.revoke(id, null, null)
  await lookup.catch(() => undefined)
  expect(await refused(key)).toMatch(/is revoked/)
})

it('a rotated API key and its replacement are both accepted during the overlap', async () => {
  const { key, id } = await aKey({ expiresAt: new Date(Date.now() + 86_400_000) })
  await enter(key)
  const rotation = { overlapMs: 700, expiresAt: null, by: 'ann' }
  const next = await t.store.apiKeys.rotate(id, acme, rotation)
  expect(next).toMatchObject({ name: 'ci', scopes: ['read', 'submit'], tenantId: acme })
  expect(Math.abs((next?.expiresAt?.getTime() ?? 0) - Date.now() - 86_400_000)).toBeLessThan(60_000)
  expect((await enter(next?.key as string)).keyId).toBe(next?.id)
  await eventually('the rotated key expires', async () =>
    /has expired/.test((await refused(key)) ?? ''),
  )
  expect(await t.store.apiKeys.find(id, null)).toMatchObject({ rotatedTo: next?.id })
  expect(await t.store.apiKeys.rotate(id, acme, rotation)).toBeNull()
  expect(await refused(next?.key as string)).toBeNull()
})

it('concurrent rotations of one API key create one new key', async () => {
  const { id } = await aKey()
  const other = t.another()
  const rotation = { overlapMs: 0, expiresAt: null, by: null }
  const made = await Promise.all(
    [t.store, other, t.store, other].map((store) => store.apiKeys.rotate(id, null, rotation)),
  )
  expect(made.filter(Boolean)).toHaveLength(1)
})

it('API keys of another tenant are not found, changed or listed', async () => {
  const { id } = await aKey()
  const stranger = (await t.store.tenants.create('stranger', { note: null, by: null })).id
  const { apiKeys } = t.store
  expect(await apiKeys.find(id, stranger)).toBeNull()
  expect(await apiKeys.revoke(id, stranger, null)).toBe(false)
  expect(await apiKeys.rotate(id, stranger, { overlapMs: 0, expiresAt: null, by: null })).toBeNull()
  const list = (tenantId: number | null, systemOnly = false) =>
    apiKeys.list({ tenantId, systemOnly, after: null, limit: 1_000 })
  expect(await list(stranger)).toEqual([])
  const all = await list(acme)
  expect(all.at(-1)).toMatchObject({ id, revokedAt: null })
  const [first, second] = all
  const page = { tenantId: acme, systemOnly: false, after: first?.id ?? null, limit: 1 }
  expect(await apiKeys.list(page)).toEqual([second])
  const system = await aKey({ tenantId: null, scopes: ['system'] })
  expect(await list(null, true)).toMatchObject([{ id: system.id, tenantId: null }])
})

it('the last use of an API key is stored in the background, once a minute across nodes', async () => {
  const { key, id } = await aKey()
  const used = async () => (await t.store.apiKeys.find(id, null))?.lastUsedAt ?? null
  expect(await used()).toBeNull()
  await enter(key)
  await eventually('the use is stored', async () => (await used()) !== null)
  const first = await used()
  const other = t.another()
  await enter(key, other)
  await other.authenticator.close()
  await enter(key)
  await t.store.authenticator.close()
  expect(await used()).toEqual(first)
  await t.sql.query(
    `update punctual.api_keys set last_used_at = now() - interval '2 minutes' where id = $1`,
    [id],
  )
  const third = t.another()
  await enter(key, third)
  await third.authenticator.close()
  expect((await used())?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? 0)
})

it('nodes that ensure the same API key create one, and ensuring it again keeps a revocation', async () => {
  const key = makeApiKey(systemRandom)
  const stores = [t.another(), t.another(), t.another()]
  const options = { name: 'first', tenantId: null, scopes: ['system'], expiresAt: null, by: null }
  const ensure = (store: PostgresStore) =>
    store.apiKeys.ensure(key, { ...options, scopes: ['system'] })
  const made = await Promise.all(stores.map(ensure))
  expect(made.filter(Boolean)).toHaveLength(1)
  for (const store of stores) expect((await enter(key, store)).scopes).toEqual(['system'])
  const { keyId } = await enter(key)
  await t.store.apiKeys.revoke(keyId, null, null)
  expect(await ensure(t.store)).toBe(false)
  expect(await refused(key)).toMatch(/is revoked/)
})

it('the database refuses a tenant key with the system scope, and a system key without it', async () => {
  for (const [tenantId, scope] of [
    [acme, 'system'],
    [null, 'admin'],
  ] as const)
    await expect(aKey({ tenantId, scopes: [scope] })).rejects.toMatchObject({ code: '23514' })
})
