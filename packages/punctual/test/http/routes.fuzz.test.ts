/**
 * Every route of the OpenAPI document with generated requests, valid and invalid, as every kind of
 * caller: no server error, no answer that its schema does not describe, and none that is missing.
 * `FUZZ_SEED` repeats the requests of a failure; their order depends on the machine.
 */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requestsOf } from '../kit/http-arbitraries.ts'
import { belongingsOf } from '../kit/http-belongings.ts'
import { HttpKit } from '../kit/http-kit.ts'
import {
  ask,
  forEachOf,
  type Operation,
  operationsOf,
  readDocument,
} from '../kit/http-operations.ts'

const REQUESTS = 20_000
const AT_ONCE = 8
const IDS_KEPT = 200
const FAULTS_SHOWN = 10
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000)

let http: HttpKit
let operations: readonly Operation[]
let callers: readonly { key: string | null; headers?: Record<string, string> }[]
/** Names and ids that exist, also those that answers have named. */
const ids: string[] = []

beforeAll(async () => {
  const secretsKey = randomBytes(32).toString('base64')
  http = await HttpKit.open({ roles: ['worker', 'planner'], secretsKey })
  operations = operationsOf(await readDocument(http))
  const { ids: made } = await belongingsOf(http, 'acme')
  // The tenant itself must survive: its requests would be refused from then on.
  ids.push(...Object.values(made).filter((id) => id !== 'acme' && id !== made['its number']))
  ids.push('spare', 'x')
  const system = { key: http.system, headers: { 'x-punctual-tenant': 'acme' } }
  const worker = { key: await http.keyFor('acme', 'worker') }
  const admin = { key: http.admin }
  callers = [admin, system, admin, system, worker, { key: await http.keyFor('rival', 'read') }]
  callers = [...callers, { key: await http.keyFor('acme', 'submit') }, { key: null }]
})
afterAll(() => http.close())

function learn(body: { id?: unknown } | null): void {
  const id = body?.id
  if (typeof id === 'string' && id.length < 100) ids[ids.length < IDS_KEPT ? ids.length : 40] = id
}

/** Sends the requests of one operation; returns faults, and how many requests succeeded. */
async function fuzz(operation: Operation, number: number): Promise<[string[], number]> {
  const faults: string[] = []
  let succeeded = 0
  const requests = fc.sample(
    requestsOf(operation, () => ids),
    { seed, numRuns: number },
  )
  for (const [i, request] of requests.entries()) {
    const caller = callers[i % callers.length] as (typeof callers)[number]
    const shown = () => `${operation.title} ${JSON.stringify(request).slice(0, 600)}`
    try {
      const reply = await ask(http, operation, { ...request, ...caller })
      if (reply.status >= 500)
        faults.push(`${shown()}: ${reply.status} ${reply.text.slice(0, 300)}`)
      if (reply.status < 300) succeeded++
      learn(reply.body)
    } catch (error) {
      faults.push(
        `${shown()}: ${String(error).slice(0, 500)} ${String((error as Error).cause ?? '')}`,
      )
    }
    if (faults.length >= FAULTS_SHOWN) break
  }
  return [faults, succeeded]
}

test('20,000 generated requests to all routes get described answers and no server error', {
  timeout: 230_000,
}, async () => {
  const each = Math.ceil(REQUESTS / operations.length)
  const faults: string[] = []
  const never: string[] = []
  let succeeded = 0
  await forEachOf(operations, AT_ONCE, async (operation) => {
    const [found, ok] = await fuzz(operation, each)
    faults.push(...found)
    succeeded += ok
    if (ok === 0) never.push(operation.title)
  })
  expect(faults, `FUZZ_SEED=${seed}`).toEqual([])
  // Most of the routes must have been reached behind their checks.
  expect(never.length, never.join()).toBeLessThan(operations.length / 3)
  expect(succeeded).toBeGreaterThan(REQUESTS / 20)
  expect((await http.get('/jobs?limit=1')).status).toBe(200)
})
