/**
 * Every route of the document against every wrong caller, and every id of another tenant in every place that takes one.
 * A stranger is told the same of what is another's as of what there is not.
 */
import { randomUUID } from 'node:crypto'
import { type Scope, scopeNames, scopes } from '@punctual/core/identity'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Belongings, belongingsOf, digestOf, SECRET_WORD } from '../kit/http-belongings.ts'
import { HttpKit } from '../kit/http-kit.ts'
import {
  type Asked,
  ask,
  covers,
  fitting,
  forEachOf,
  type Operation,
  operationsOf,
  readDocument,
  type Told,
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

/** Asks every operation the same way; what is wrong with the answers, each with its operation. */
async function everywhere(
  asked: Asked,
  wrong: (told: Told, operation: Operation) => string | false,
  which: (operation: Operation) => boolean = () => true,
): Promise<string[]> {
  const found: string[] = []
  await forEachOf(operations.filter(which), 8, async (operation) => {
    const told = await ask(http, operation, asked)
    const fault = wrong(told, operation)
    if (fault !== false) found.push(`${operation.title}: ${fault} (${told.status} ${told.text})`)
  })
  return found
}

const refusedWith =
  (status: number, code: string) =>
  ({ status: came, body, headers }: Told) =>
    ((came !== status || body?.code !== code) && `${status} ${code} was expected`) ||
    (status === 401 && headers['www-authenticate'] === undefined && 'does not ask for a key')

test('there are operations, each with a scope', () => {
  expect(operations.length).toBeGreaterThan(10)
  for (const { scope } of operations) expect([...scopeNames, 'any']).toContain(scope)
})

test('what a tenant has and `read` does not show is named where the scope is explained', () => {
  const hidden = operations.filter(({ method, scope }) => method === 'GET' && scope === 'admin')
  const words = hidden.map(({ path }) => path.split('/')[2]?.replace('-', ' '))
  expect(words.length).toBeGreaterThan(0)
  for (const word of words) expect(scopes.read.meaning.toLowerCase()).toContain(word)
})

describe('every route refuses', () => {
  const unauthenticated = refusedWith(401, 'unauthenticated')

  test.for([
    ['nobody', {}],
    ['a key that is none', { authorization: 'Bearer pk_nonsense' }],
    ['another scheme', { authorization: 'Basic cm9vdDpyb290' }],
    ['an empty key', { authorization: 'Bearer ' }],
    ['two keys', { authorization: 'Bearer a b' }],
  ] as const)('%s (cases 153, 156)', async ([, headers]) => {
    expect(await everywhere({ key: null, headers }, unauthenticated)).toEqual([])
  })

  test('a key that is cut, extended, or of another case (case 156)', async () => {
    const other = rival.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase())
    for (const key of [rival.slice(0, -1), `${rival}a`, other, rival.toUpperCase()])
      expect(await everywhere({ key }, unauthenticated)).toEqual([])
  })

  test('a key in the address, even beside a good one (case 156)', async () => {
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

  test('keys of every scope that does not include its own (case 157)', async () => {
    const keys = new Map<Scope, string>()
    for (const scope of scopeNames.filter((name) => name !== 'system'))
      keys.set(scope, await http.keyFor('rival', scope))
    for (const [held, key] of keys) {
      const lacks = (operation: Operation) => !covers(held, operation)
      expect(await everywhere({ key }, refusedWith(403, 'forbidden'), lacks)).toEqual([])
    }
  })

  test('keys that act for a tenant that is not theirs (case 153)', async () => {
    const may = (operation: Operation) => covers('admin', operation)
    const headers = { 'x-punctual-tenant': 'acme' }
    expect(await everywhere({ key: rival, headers }, refusedWith(403, 'forbidden'), may)).toEqual(
      [],
    )
  })

  test('writes for a tenant that is suspended, and every key of one that is erased (case 157)', async () => {
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

/** Of the same form as an id, and of nothing; the same for each id. */
function unknownLike(id: string): string {
  const unknown = unknowns.get(id) ?? nothingLike(id)
  unknowns.set(id, unknown)
  return unknown
}

function nothingLike(id: string): string {
  if (/^[0-9a-f-]{36}$/.test(id)) return id.slice(0, 24) + randomUUID().slice(24)
  if (/^\d{10,}$/.test(id)) return String(BigInt(id) - 1_000_003n)
  return /^\d$/.test(id) ? '7' : `no-${id}`
}

/** What is answered, apart from the id that was asked for and what is new in every answer. */
function essence({ status, body }: Told, id: string): string {
  if (body?.code === undefined) return String(status)
  const word = new RegExp(`(?<![\\w-])${id}(?![\\w-])`, 'g')
  return `${status} ${body.code} ${String(body.detail).replace(word, '<id>')}`
}

type Way = (id: string) => Asked

/** Names of what may refer to something. */
const REFERENCE =
  /(^|_)(ids?|runs?|jobs?|groups?|letters?|queues?|calendars?|keys?|after|of|tenant|worker|session)$/

/** Every place of an address that takes an id. */
function placesIn({ params, query, method }: Operation): Way[] {
  const all = (id: string) => Object.fromEntries(params.map(({ name }) => [name, id]))
  return [
    ...(params.length > 0 ? [(id: string) => ({ params: all(id) })] : []),
    ...query
      .filter(({ name }) => method === 'GET' && REFERENCE.test(name))
      .map(({ name }) => (id: string) => ({ query: { [name]: id } })),
  ]
}

/** Bodies with each of these ids in each member that may refer to something. */
function bodiesWith({ body }: Operation, ids: readonly string[]): Asked[] {
  const whole = body?.type === 'object' ? (fitting(body) as object) : {}
  return Object.entries(body?.properties ?? {}).flatMap(([name, { type }]) => {
    if (!REFERENCE.test(name)) return []
    return ids.map((id) => ({ body: { ...whole, [name]: type === 'array' ? [id] : id } }))
  })
}

/** What somebody who is not the owner must not learn. */
function toldTooMuch(told: Told): string | false {
  if (told.status >= 500) return 'failed'
  return told.text.includes(SECRET_WORD) && 'tells what is not theirs'
}

async function attackAddress(operation: Operation, key: string, id: string): Promise<string[]> {
  const found: string[] = []
  for (const way of placesIn(operation)) {
    const told = await ask(http, operation, { ...way(id), key })
    const nothing = unknownLike(id)
    const unknown = await ask(http, operation, { ...way(nothing), key })
    const [is, should] = [essence(told, id), essence(unknown, nothing)]
    const fault = toldTooMuch(told) || (is !== should && `differs from what is not: ${should}`)
    if (fault) found.push(`${operation.title} ${JSON.stringify(way(id))}: ${fault} (${told.text})`)
  }
  return found
}

async function attackBody(operation: Operation, key: string): Promise<string[]> {
  const found: string[] = []
  for (const asked of bodiesWith(operation, Object.values(theirs.ids))) {
    const told = await ask(http, operation, { ...asked, key })
    const fault = toldTooMuch(told)
    if (fault) found.push(`${operation.title} ${JSON.stringify(asked)}: ${fault} (${told.text})`)
  }
  return found
}

describe('what is another tenant’s', () => {
  test('is neither told, nor changed, nor known to exist, on any route (cases 153, 155)', async () => {
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

/** Whether there is something of the owner's that is answered otherwise than what there is not. */
async function findsAny(operation: Operation): Promise<boolean> {
  const headers = { 'x-punctual-tenant': 'acme' }
  const by = covers('admin', operation) ? {} : { key: http.system, headers }
  const all = (id: string) => Object.fromEntries(operation.params.map(({ name }) => [name, id]))
  for (const id of Object.values(theirs.ids)) {
    const nothing = `${unknownLike(id).slice(0, -1)}0`
    const unknown = await ask(http, operation, { ...by, params: all(nothing) })
    // Names that are made by being used, and what is wrong before anything is looked for.
    if (unknown.status !== 404) return true
    const told = await ask(http, operation, { ...by, params: all(id) })
    if (essence(told, id) !== essence(unknown, nothing)) return true
  }
  return false
}
