/** Secrets set under idempotency keys: the stored request reveals nothing of their values. */
import { createHash, randomBytes } from 'node:crypto'
import { createApp } from '@punctual/api'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serviceOf } from '../../src/http/service.ts'
import { HttpKit } from '../kit/http-kit.ts'

const [OLD, FRESH] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
const VALUE = 'correct horse battery staple'
let http: HttpKit

beforeAll(async () => {
  http = await HttpKit.open({ roles: [], secretsKey: OLD })
})
afterAll(() => http.close())

const set = (name: string, value: string, idempotencyKey: string, key = http.admin) =>
  http.call(
    ...(['PUT', `/secrets/${name}`, { value }] as const),
    ...[{ key, headers: { 'idempotency-key': idempotencyKey } }],
  )

async function fingerprints(key: string): Promise<string[]> {
  const text = "select encode(fingerprint, 'hex') from punctual.requests where key = $1"
  const rows = await http.punctual.store.database.control.query({ name: '', text }, [key])
  return rows.map(([fingerprint]) => fingerprint as string)
}

/** The fingerprint that an attacker with access to the database would compare with. */
const guessed = (route: string, name: string, body: object) =>
  createHash('sha256')
    .update(`PUT ${route}\n${JSON.stringify({ name })}\n{}\n${JSON.stringify(body)}`)
    .digest('hex')

test('the value of a secret cannot be guessed from the stored request', async () => {
  const calendar = { exclude: ['12-25'] }
  const headers = { 'idempotency-key': 'plain' }
  await http.call('PUT', '/calendars/days', calendar, { headers })
  expect(await fingerprints('plain')).toEqual([guessed('/calendars/:name', 'days', calendar)])

  expect((await set('token', VALUE, 'hidden')).status).toBe(200)
  const stored = await fingerprints('hidden')
  expect(stored).toHaveLength(1)
  expect(stored).not.toContain(guessed('/secrets/:name', 'token', { value: VALUE }))

  const rival = await http.keyFor('rival', 'admin')
  expect((await set('token', VALUE, 'hidden', rival)).status).toBe(200)
  expect((await set('token', VALUE, 'other')).status).toBe(200)
  const all = [...(await fingerprints('hidden')), ...(await fingerprints('other'))]
  expect([all.length, new Set(all).size]).toEqual([3, 3])
})

test('the same secret under the same key is set once, and a different one is refused', async () => {
  const first = await set('once', VALUE, 'once')
  const again = await set('once', VALUE, 'once')
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const other = await set('once', `${VALUE}!`, 'once')
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  const elsewhere = await set('another', VALUE, 'once')
  expect([elsewhere.status, elsewhere.body.code]).toEqual([422, 'idempotency_key_reused'])
})

test('a node with a new master key before the old one recognises a repeated request', async () => {
  const first = await set('rotated', VALUE, 'rotated')
  const node = await Punctual.start({
    ...{ databaseUrl: http.database.url, roles: [], secretsKey: [FRESH, OLD] },
  })
  const service = serviceOf(node)
  const app = createApp({
    health: () => ({ version: 'test', uptimeSeconds: 1 }),
    ready: async () => ({ ready: true }),
    metrics: async () => null,
    service: () => service,
  })
  const ask = (value: string) =>
    app.inject({
      ...{ method: 'PUT', url: '/v1/secrets/rotated', payload: { value } },
      headers: { authorization: `Bearer ${http.admin}`, 'idempotency-key': 'rotated' },
    })
  const again = await ask(VALUE)
  const other = await ask(`${VALUE}!`)
  await app.close()
  await node.stop()
  expect([again.statusCode, again.json()]).toEqual([200, first.body])
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect([other.statusCode, other.json().code]).toEqual([422, 'idempotency_key_reused'])
})
