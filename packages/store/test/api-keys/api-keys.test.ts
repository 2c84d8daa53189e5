/** Keys: only a hash is stored, every node lets the same callers in, and a revocation holds on all of them. */
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
    ...{ name: 'ci', tenantId: acme, scopes: ['read', 'submit'], expiresAt: null, by: 'somebody' },
    ...options,
  })

const enter = (key: string, store = t.store) => store.authenticator.authenticate(key)

const refused = (key: string, store?: PostgresStore) =>
  enter(key, store).then(
    () => null,
    (error: { code: string; message: string }) => `${error.code}: ${error.message.split('.')[0]}`,
  )

it('a key lets its holder in, who is known by it; the key itself is stored nowhere', async () => {
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

it('a key that is malformed, unknown, or has another secret is refused', async () => {
  const { key } = await aKey()
  const unknown = 'unauthenticated: The API key is unknown'
  expect(await refused(makeApiKey(systemRandom))).toBe(unknown)
  expect(await refused(key.toUpperCase())).toMatch(/^unauthenticated: The API key is malformed/)
  expect(await refused('')).toMatch(/malformed/)
  // The public part of one key with the secret of another, as a guesser who has seen a list would try.
  const other = await aKey()
  await t.sql.query('update punctual.api_keys set prefix = $1 where id = $2', [
    ...[`${other.prefix.slice(0, -1)}_`, other.id],
  ])
  await t.sql.query('update punctual.api_keys set prefix = $1 where prefix = $2', [
    ...[other.prefix, key.slice(0, 21)],
  ])
  expect(await refused(other.key)).toBe(unknown)
})

it('an expiry holds at its moment, though the key is remembered', async () => {
  const { key } = await aKey({ expiresAt: new Date(Date.now() + 500) })
  await eventually('it expires', async () => /has expired/.test((await refused(key)) ?? ''))
})

/** A node whose clock stands still until it is moved: nothing that it remembers grows old by itself. */
function aFrozenNode() {
  const startMs = systemClock.monotonicMs()
  let movedMs = 0
  const node = t.another({ ...systemClock, monotonicMs: () => startMs + movedMs })
  return { node, move: (ms: number) => (movedMs += ms) }
}

it('without hints another node refuses a revoked key after two seconds, and not before', async () => {
  const { node, move } = aFrozenNode()
  const { key, id } = await aKey()
  await enter(key, node)
  expect(await t.store.apiKeys.revoke(id, null, 'somebody')).toBe(true)
  expect(await refused(key), 'where it was revoked it holds at once').toMatch(/is revoked/)
  move(1_999)
  expect(await refused(key, node)).toBeNull()
  move(1)
  expect(await refused(key, node)).toMatch(/is revoked/)
  expect(await t.store.apiKeys.revoke(id, null, 'again')).toBe(false)
  expect(await t.store.apiKeys.find(id, acme)).toMatchObject({ revokedBy: 'somebody' })
})

it('with hints another node hears at once of revocations, suspensions and resumptions', async () => {
  const { node } = aFrozenNode()
  node.signals.listen()
  await node.database.claim.ready()
  const [revoked, kept] = [await aKey(), await aKey()]
  for (const { key } of [revoked, kept]) await enter(key, node)
  await t.store.apiKeys.revoke(revoked.id, null, null)
  await eventually('the key is refused', async () => (await refused(revoked.key, node)) !== null)
  const suspended = async () => (await enter(kept.key, node)).tenantSuspended
  await t.store.tenants.suspend('acme', { note: null, by: null })
  await eventually('it is suspended', suspended)
  await t.store.tenants.resume('acme')
  await eventually('it is resumed', async () => !(await suspended()))
})

it('a look-up that was under way when a key was revoked is not remembered', async () => {
  const { key, id } = await aKey()
  const looking = enter(key)
  await t.store.apiKeys.revoke(id, null, null)
  await looking.catch(() => undefined)
  expect(await refused(key)).toMatch(/is revoked/)
})

it('a rotated key and the one in its place are both accepted during the overlap', async () => {
  const { key, id } = await aKey({ expiresAt: new Date(Date.now() + 86_400_000) })
  await enter(key)
  const about = { overlapMs: 700, expiresAt: null, by: 'somebody' }
  const next = await t.store.apiKeys.rotate(id, acme, about)
  expect(next).toMatchObject({ name: 'ci', scopes: ['read', 'submit'], tenantId: acme })
  expect(Math.abs((next?.expiresAt?.getTime() ?? 0) - Date.now() - 86_400_000)).toBeLessThan(60_000)
  expect((await enter(next?.key as string)).keyId).toBe(next?.id)
  await eventually('it expires', async () => /has expired/.test((await refused(key)) ?? ''))
  expect(await t.store.apiKeys.find(id, null)).toMatchObject({ rotatedTo: next?.id })
  expect(await t.store.apiKeys.rotate(id, acme, about)).toBeNull()
  expect(await refused(next?.key as string)).toBeNull()
})

it('two rotations at the same moment make one key', async () => {
  const { id } = await aKey()
  const other = t.another()
  const about = { overlapMs: 0, expiresAt: null, by: null }
  const made = await Promise.all(
    [t.store, other, t.store, other].map((store) => store.apiKeys.rotate(id, null, about)),
  )
  expect(made.filter(Boolean)).toHaveLength(1)
})

it('keys of another tenant are not found, changed or listed', async () => {
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

it('a use is noted in the background, once a minute and key, by whichever node', async () => {
  const { key, id } = await aKey()
  const used = async () => (await t.store.apiKeys.find(id, null))?.lastUsedAt ?? null
  expect(await used()).toBeNull()
  await enter(key)
  await eventually('its use is noted', async () => (await used()) !== null)
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

it('nodes that make sure of one key at once make one, and a revocation outlives a restart', async () => {
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

it('the database refuses a key of a tenant that is of the system, and one of nobody that is not', async () => {
  for (const [tenantId, scope] of [
    [acme, 'system'],
    [null, 'admin'],
  ] as const)
    await expect(aKey({ tenantId, scopes: [scope] })).rejects.toMatchObject({ code: '23514' })
})
