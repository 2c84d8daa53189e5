/**
 * Every route of the document with every kind of wrong caller, and every id of another tenant in
 * every place that accepts one. The answer for an object of another tenant equals that for a
 * missing one.
 */
import { randomUUID } from 'node:crypto'
import { type Scope, scopeNames, scopes } from '@punctual/core/identity'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Belongings, belongingsOf, digestOf, SECRET_WORD } from '../kit/http-belongings.ts'
import { HttpKit } from '../kit/http-kit.ts'
import {
  ask,
  covers,
  fitting,
  forEachOf,
  type Operation,
  operationsOf,
  type Reply,
  type Request,
  readDocument,
} from '../kit/http-operations.ts'

let http: HttpKit
let operations: readonly Operation[]
let theirs: Belongings
let rival: string

beforeAll(async () => {
  http = await HttpKit.open({ roles: ['worker'] })
  operations = operationsOf(await readDocument(http))
  theirs = await belongingsOf(http, 'acme')
  rival = await http.keyFor('rival', 'admin')
})
afterAll(() => http.close())

/** Sends the same request to every operation; returns the faults of the answers. */
async function everywhere(
  request: Request,
  wrong: (reply: Reply, operation: Operation) => string | false,
  which: (operation: Operation) => boolean = () => true,
): Promise<string[]> {
  const found: string[] = []
  await forEachOf(operations.filter(which), 8, async (operation) => {
    const reply = await ask(http, operation, request)
    const fault = wrong(reply, operation)
    if (fault !== false) found.push(`${operation.title}: ${fault} (${reply.status} ${reply.text})`)
  })
  return found
}

const refusedWith =
  (status: number, code: string) =>
  ({ status: received, body, headers }: Reply) =>
    ((received !== status || body?.code !== code) && `${status} ${code} was expected`) ||
    (status === 401 && headers['www-authenticate'] === undefined && 'does not ask for a key')

test('every operation has a scope', () => {
  expect(operations.length).toBeGreaterThan(10)
  for (const { scope } of operations) expect([...scopeNames, 'any', 'report']).toContain(scope)
})

test('the description of the scope read names the resources that it does not include', () => {
  const hidden = operations.filter(({ method, scope }) => method === 'GET' && scope === 'admin')
  const words = hidden.map(({ path }) => path.split('/')[2]?.replace('-', ' '))
  expect(words.length).toBeGreaterThan(0)
  for (const word of words) expect(scopes.read.meaning.toLowerCase()).toContain(word)
})

describe('every route refuses', () => {
  const unauthenticated = refusedWith(401, 'unauthenticated')

  test.for([
    ['a request without a key', {}],
    ['an invalid key', { authorization: 'Bearer pk_nonsense' }],
    ['another scheme', { authorization: 'Basic cm9vdDpyb290' }],
    ['an empty key', { authorization: 'Bearer ' }],
    ['two keys', { authorization: 'Bearer a b' }],
  ] as const)('%s (cases 153, 156)', async ([, headers]) => {
    expect(await everywhere({ key: null, headers }, unauthenticated)).toEqual([])
  })

  test('a key that is cut, extended, or in another case (case 156)', async () => {
    const other = rival.replace(/[a-z](?=[^a-z]*$)/, (last) => last.toUpperCase())
    for (const key of [rival.slice(0, -1), `${rival}a`, other, rival.toUpperCase()])
      expect(await everywhere({ key }, unauthenticated)).toEqual([])
  })

  test('a key in the URL, even next to a valid header (case 156)', async () => {
    for (const name of ['api_key', 'access_token'])
      for (const key of [null, rival])
        expect(await everywhere({ key, query: { [name]: rival } }, unauthenticated)).toEqual([])
  })

  test('a key that was revoked or has expired (case 156)', async () => {
    const { apiKeys } = http.punctual
    const revoked = await apiKeys.create({ name: 'gone', tenant: 'rival', scopes: ['admin'] })
    await apiKeys.revoke(revoked.id)
    expect(await everywhere({ key: revoked.key }, unauthenticated)).toEqual([])
    const expired = await apiKeys.create({ name: 'old', tenant: 'rival', scopes: ['admin'] })
    const client = await http.punctual.store.database.connect()
    await client.query(
      "update punctual.api_keys set expires_at = now() - interval '1 s' where id = $1",
      [expired.id],
    )
    await client.end()
    expect(await everywhere({ key: expired.key }, unauthenticated)).toEqual([])
  })

  test('keys of every scope that does not cover the route (case 157)', async () => {
    const keys = new Map<Scope, string>()
    for (const scope of scopeNames.filter((name) => name !== 'system'))
      keys.set(scope, await http.keyFor('rival', scope))
    for (const [held, key] of keys) {
      const lacks = (operation: Operation) => !covers(held, operation)
      expect(await everywhere({ key }, refusedWith(403, 'forbidden'), lacks)).toEqual([])
    }
  })

  test('the callback token of a run, except reports on that run', async () => {
    const attempt = { tenantId: 1, runId: '01900000-0000-7000-8000-000000000000', attempt: 1 }
    const token = await http.punctual.store.callbackTokens.make(attempt)
    const headers = { 'punctual-callback-token': token }
    const others = ({ scope }: Operation) => scope !== 'report'
    expect(await everywhere({ key: null, headers }, refusedWith(403, 'forbidden'), others)).toEqual(
      [],
    )
    const reports = ({ scope }: Operation) => scope === 'report'
    const altered = { 'punctual-callback-token': `${token.slice(0, -2)}AA` }
    const invalid = refusedWith(401, 'callback_token_invalid')
    expect(await everywhere({ key: null, headers: altered }, invalid, reports)).toEqual([])
  })

  test('keys that name another tenant (case 153)', async () => {
    const may = (operation: Operation) => covers('admin', operation)
    const headers = { 'x-punctual-tenant': 'acme' }
    expect(await everywhere({ key: rival, headers }, refusedWith(403, 'forbidden'), may)).toEqual(
      [],
    )
  })

  test('writes for a suspended tenant, and every key of an erased one (case 157)', async () => {
    await http.punctual.tenants.create({ name: 'late' })
    const key = await http.keyFor('late', 'admin')
    await http.punctual.tenants.suspend('late')
    const writes = (operation: Operation) =>
      covers('admin', operation) && !['read', 'worker', 'any'].includes(operation.scope)
    const suspended = refusedWith(403, 'tenant_suspended')
    expect(await everywhere({ key }, suspended, writes)).toEqual([])
    const client = await http.punctual.store.database.connect()
    await client.query(
      "update punctual.tenants set erasing_at = now(), erased_at = now() where name = 'late'",
    )
    await client.end()
    http.punctual.store.signals.identityChanged()
    await expect.poll(() => everywhere({ key }, unauthenticated), { timeout: 10_000 }).toEqual([])
  })
})

const unknowns = new Map<string, string>()

/** An unused id of the same form; always the same one for an id. */
function unknownLike(id: string): string {
  const unknown = unknowns.get(id) ?? inventedLike(id)
  unknowns.set(id, unknown)
  return unknown
}

function inventedLike(id: string): string {
  if (/^[0-9a-f-]{36}$/.test(id)) return id.slice(0, 24) + randomUUID().slice(24)
  if (/^\d{10,}$/.test(id)) return String(BigInt(id) - 1_000_003n)
  return /^\d$/.test(id) ? '7' : `no-${id}`
}

/** The answer without the requested id and without the parts that differ in every answer. */
function essence({ status, body }: Reply, id: string): string {
  if (body?.code === undefined) return String(status)
  const word = new RegExp(`(?<![\\w-])${id}(?![\\w-])`, 'g')
  return `${status} ${body.code} ${String(body.detail).replace(word, '<id>')}`
}

type RequestWith = (id: string) => Request

/** Names of members and parameters that may hold an id. */
const REFERENCE =
  /(^|_)(ids?|runs?|jobs?|groups?|dead_letters?|queues?|calendars?|keys?|after|of|tenant|worker|session)$/

/** Requests with an id in each place of the address that accepts one. */
function placesIn({ params, query, method }: Operation): RequestWith[] {
  const all = (id: string) => Object.fromEntries(params.map(({ name }) => [name, id]))
  return [
    ...(params.length > 0 ? [(id: string) => ({ params: all(id) })] : []),
    ...query
      .filter(({ name }) => method === 'GET' && REFERENCE.test(name))
      .map(({ name }) => (id: string) => ({ query: { [name]: id } })),
  ]
}

/** Bodies with each of these ids in each member that may hold an id. */
function bodiesWith({ body }: Operation, ids: readonly string[]): Request[] {
  const whole = body?.type === 'object' ? (fitting(body) as object) : {}
  return Object.entries(body?.properties ?? {}).flatMap(([name, { type }]) => {
    if (!REFERENCE.test(name)) return []
    return ids.map((id) => ({ body: { ...whole, [name]: type === 'array' ? [id] : id } }))
  })
}

/** Whether an answer reveals data of the owner to another tenant. */
function leakOf(reply: Reply): string | false {
  if (reply.status >= 500) return 'failed'
  return reply.text.includes(SECRET_WORD) && 'reveals data of another tenant'
}

/** A random id of the owner in a successful answer to a request that did not contain it. */
function namedIn({ status, text }: Reply, request: Request): string | undefined {
  if (status >= 300) return undefined
  const random = Object.values(theirs.ids).filter((id) => id.length > 15)
  return random.find((id) => text.includes(id) && !JSON.stringify(request).includes(id))
}

async function attackAddress(operation: Operation, key: string, id: string): Promise<string[]> {
  const found: string[] = []
  for (const requestWith of placesIn(operation)) {
    const reply = await ask(http, operation, { ...requestWith(id), key })
    const unused = unknownLike(id)
    const unknown = await ask(http, operation, { ...requestWith(unused), key })
    const [is, should] = [essence(reply, id), essence(unknown, unused)]
    const fault = leakOf(reply) || (is !== should && `differs from a missing one: ${should}`)
    if (fault)
      found.push(`${operation.title} ${JSON.stringify(requestWith(id))}: ${fault} (${reply.text})`)
  }
  return found
}

async function attackBody(operation: Operation, key: string): Promise<string[]> {
  const found: string[] = []
  for (const request of bodiesWith(operation, Object.values(theirs.ids))) {
    const reply = await ask(http, operation, { ...request, key })
    const fault = leakOf(reply)
    if (fault) found.push(`${operation.title} ${JSON.stringify(request)}: ${fault} (${reply.text})`)
  }
  return found
}

describe('data of another tenant', () => {
  test('is neither revealed, nor changed, nor known to exist on any route (cases 153, 155)', async () => {
    const before = await digestOf(http, theirs.tenantId)
    const worker = await http.keyFor('rival', 'worker')
    const keyOf = ({ scope }: Operation) => (scope === 'worker' ? worker : rival)
    const found: string[] = []
    await forEachOf(Object.values(theirs.ids), 6, async (id) => {
      for (const operation of operations)
        found.push(...(await attackAddress(operation, keyOf(operation), id)))
    })
    await forEachOf(operations, 6, async (operation) => {
      found.push(...(await attackBody(operation, keyOf(operation))))
    })
    expect(found).toEqual([])
    expect(await digestOf(http, theirs.tenantId)).toEqual(before)
  })

  test.for([
    ['no key', null],
    ['a key that reads another tenant', 'read'],
    ['a key that administers another tenant', 'admin'],
  ] as const)('is in no answer to %s, and stays unchanged (cases 153, 155)', async ([, scope]) => {
    const before = await digestOf(http, theirs.tenantId)
    const key = scope && (await http.keyFor('rival', scope))
    const found: string[] = []
    let sent = 0
    await forEachOf(Object.values(theirs.ids), 6, async (id) => {
      for (const operation of operations)
        for (const requestWith of placesIn(operation)) {
          const request = requestWith(id)
          const reply = await ask(http, operation, { ...request, key })
          // One that writes finds the names it has used in its own audit log.
          const named = scope !== 'admin' && namedIn(reply, request)
          const fault = leakOf(reply) || (named && `names ${named} of another tenant`)
          if (fault) found.push(`${operation.title} ${JSON.stringify(request)}: ${fault}`)
          sent++
        }
    })
    expect(found).toEqual([])
    expect(sent).toBeGreaterThan(operations.length * 5)
    expect(await digestOf(http, theirs.tenantId)).toEqual(before)
  })

  test('is found by its owner on the same routes', async () => {
    const last = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE']
    const ordered = [...operations]
      .filter(({ params }) => params.length > 0)
      .sort((a, b) => last.indexOf(a.method) - last.indexOf(b.method))
    const never: string[] = []
    for (const operation of ordered) if (!(await findsAny(operation))) never.push(operation.title)
    expect(never).toEqual([])
  })
})

/** Whether any object of the owner is answered differently from a missing one. */
async function findsAny(operation: Operation): Promise<boolean> {
  const headers = { 'x-punctual-tenant': 'acme' }
  const by = covers('admin', operation) ? {} : { key: http.system, headers }
  const all = (id: string) => Object.fromEntries(operation.params.map(({ name }) => [name, id]))
  for (const id of Object.values(theirs.ids)) {
    const unused = `${unknownLike(id).slice(0, -1)}0`
    const unknown = await ask(http, operation, { ...by, params: all(unused) })
    // Either using a name creates it, or the request is refused before the lookup.
    if (unknown.status !== 404) return true
    const reply = await ask(http, operation, { ...by, params: all(id) })
    if (essence(reply, id) !== essence(unknown, unused)) return true
  }
  return false
}
