/** Conditional changes of jobs over HTTP: `If-Match` and `If-None-Match`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'

let http: HttpKit
let n = 0
const pathOf = (what: string) => `/jobs/${what}_${++n}`

beforeAll(async () => {
  http = await HttpKit.open({ roles: ['planner'] })
})
afterAll(() => http.close())

const ifMatch = (etag: string) => ({ headers: { 'if-match': etag } })
const ifNone = { headers: { 'if-none-match': '*' } }

const changes: readonly (readonly [string, string, string, (() => object) | undefined, number])[] =
  [
    ['PUT', '', 'replaced', () => ({ schedule: '@hourly' }), 200],
    ['PATCH', '', 'changed', () => ({ priority: 2 }), 200],
    ['POST', '/pause', 'paused', () => ({}), 200],
    ['POST', '/resume', 'resumed', undefined, 200],
    ['POST', '/trigger', 'run', () => ({}), 201],
    [
      ...(['POST', '/skip', 'skipped a slot'] as const),
      () => ({ slot: `${new Date().getUTCFullYear() + 1}-01-01T00:00:00Z` }),
      200,
    ],
    [
      ...(['POST', '/backfill', 'backfilled'] as const),
      () => ({ from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' }),
      200,
    ],
    ['DELETE', '', 'deleted', undefined, 200],
  ]

describe('a job', () => {
  test.for(changes)(
    '%s%s with If-Match: a job is only %s at its current version',
    async (change) => {
      const [method, verb, , body, status] = change
      const path = pathOf('expected')
      await http.call('PUT', path, { schedule: '0 0 1 1 *' })
      const before = (await http.get(path)).body
      for (const etag of ['"77"', '"2"', '"0"']) {
        const stale = await http.call(method, `${path}${verb}`, body?.(), ifMatch(etag))
        expect([stale.status, stale.body.code]).toEqual([412, 'version_changed'])
      }
      expect((await http.get(path)).body).toEqual(before)
      expect((await http.get(`/runs?job=${before.id}`)).body.runs).toEqual([])
      const bad = await http.call(method, `${path}${verb}`, body?.(), ifMatch('W/"1"'))
      expect([bad.status, bad.body.field]).toEqual([400, 'If-Match'])
      const right = await http.call(method, `${path}${verb}`, body?.(), ifMatch('"1"'))
      expect(right.status).toBe(status)
    },
  )

  test.for(changes.filter(([method]) => method !== 'PUT'))(
    '%s%s with If-Match: a missing job is not %s',
    async ([method, verb, , body]) => {
      for (const etag of ['"1"', '*']) {
        const path = `${pathOf('missing')}${verb}`
        const { status, body: problem } = await http.call(method, path, body?.(), ifMatch(etag))
        expect([status, problem.code]).toEqual([404, 'job_not_found'])
      }
    },
  )

  test('PUT with If-Match does not create a job', async () => {
    for (const etag of ['"1"', '*']) {
      const path = pathOf('missing')
      const { status, body } = await http.call('PUT', path, { schedule: '@daily' }, ifMatch(etag))
      expect([status, body.code]).toEqual([412, 'version_changed'])
      expect((await http.get(path)).status).toBe(404)
    }
  })

  test('PUT with If-None-Match creates a job and does not replace it', async () => {
    const path = pathOf('new')
    expect((await http.call('PUT', path, { schedule: '@daily' }, ifNone)).status).toBe(201)
    const again = await http.call('PUT', path, { schedule: '@hourly' }, ifNone)
    expect([again.status, again.body.code]).toEqual([412, 'version_changed'])
    expect((await http.get(path)).body).toMatchObject({ schedule: '@daily', version: 1 })
    const odd = { headers: { 'if-none-match': '"1"' } }
    const bad = await http.call('PUT', path, { schedule: '@daily' }, odd)
    expect([bad.status, bad.body.field]).toEqual([400, 'If-None-Match'])
  })

  test('one of several concurrent PUTs with the same If-Match replaces the job', async () => {
    const path = pathOf('raced')
    await http.call('PUT', path, { schedule: '@daily' })
    const answers = await Promise.all(
      [1, 2, 3, 4, 6, 7].map((priority) =>
        http.call('PUT', path, { schedule: '@daily', priority }, ifMatch('"1"')),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412])
    expect((await http.get(path)).body.version).toBe(2)
  })

  test('one of several concurrent PUTs with If-None-Match creates the job', async () => {
    const path = pathOf('raced')
    const answers = await Promise.all(
      [1, 2, 3, 4, 6, 7].map((priority) =>
        http.call('PUT', path, { schedule: '@daily', priority }, ifNone),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 412, 412, 412, 412, 412])
    expect((await http.get(path)).body.version).toBe(1)
  })
})
