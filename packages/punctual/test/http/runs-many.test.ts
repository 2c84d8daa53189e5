/** Bulk changes of runs over HTTP by filter, and followed logs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HttpKit } from '../kit/http-kit.ts'
import { LATER, name, RunsKit } from '../kit/http-runs-kit.ts'
import { readEvents } from '../kit/read-activity.ts'

let http: HttpKit
let rival: string
let submit: RunsKit['submit']
let stateOf: RunsKit['stateOf']
let become: RunsKit['become']
let anUnknownRun: RunsKit['anUnknownRun']

beforeAll(async () => {
  const kit = await RunsKit.open()
  ;({ http, rival, submit, stateOf, become, anUnknownRun } = kit)
})
afterAll(() => http.close())

describe('many runs', () => {
  test('are counted in a dry run, then cancelled up to the limit', async () => {
    const queue = name('queue')
    for (let i = 0; i < 5; i++) await submit({ handler: 'nobody', queue })
    const filter = { queue }
    const dry = await http.post('/runs/cancel', { filter, dry_run: true })
    expect(dry.body).toMatchObject({ dry_run: true, matched: 5, complete: true })
    const some = await http.post('/runs/cancel', { filter, limit: 2, reason: 'too many' })
    expect(some.body).toMatchObject({
      ...{ dry_run: false, matched: 2, complete: false, answers: { cancelled: 2 } },
      states: { queued: 2 },
    })
    const rest = await http.post('/runs/cancel', { filter })
    expect(rest.body).toMatchObject({ matched: 3, complete: true })
  })

  test('are promoted and rescheduled', async () => {
    const queue = name('queue')
    const ids = [
      await submit({ handler: 'nobody', queue, run_at: LATER, labels: { of: 'a' } }),
      await submit({ handler: 'nobody', queue, run_at: LATER, labels: { of: 'b' } }),
    ]
    const moved = await http.post('/runs/reschedule', {
      ...{ filter: { queue, labels: { of: 'a' } }, run_at: '2036-01-01T00:00:00Z' },
    })
    expect(moved.body).toMatchObject({ matched: 1, answers: { rescheduled: 1 } })
    expect((await http.get(`/runs/${ids[0]}`)).body.next_at).toBe('2036-01-01T00:00:00.000Z')
    const promoted = await http.post('/runs/promote', { filter: { ids } })
    expect(promoted.body).toMatchObject({ matched: 2, answers: { promoted: 2 } })
  })

  test('are retried once by filter when they are dead', async () => {
    const queue = name('queue')
    const ids = [
      await submit({ handler: 'dies', queue }),
      await submit({ handler: 'dies', queue }),
      await submit({ handler: 'dies', queue }),
    ]
    for (const id of ids) await become(id, 'dead')
    const filter = { queue, finished_from: '2020-01-01T00:00:00Z' }
    const dry = await http.post('/runs/retry', { filter, dry_run: true })
    expect(dry.body).toMatchObject({ dry_run: true, matched: 3, retried: 0, complete: true })
    const two = await http.post('/runs/retry', { filter, limit: 2, note: 'again' })
    expect(two.body).toMatchObject({ matched: 2, retried: 2, missed: 0, complete: false })
    const replays = two.body.run_ids as string[]
    for (const id of replays) await become(id, 'dead')
    const one = await http.post('/runs/retry', { filter: { ids } })
    expect(one.body).toMatchObject({ matched: 1, retried: 1, complete: true })
    expect((await http.post('/runs/retry', { filter: { ids } })).body.matched).toBe(0)
  })

  test('are not found by an unknown id', async () => {
    const ids = ['ffffffff-ffff-ffff-ffff-ffffffffffff']
    const none = await http.post('/runs/retry', { filter: { ids }, dry_run: true })
    expect(none.body).toMatchObject({ matched: 0, complete: true })
  })

  test('are retried when they are unknown and the filter names the state', async () => {
    const ids = [await anUnknownRun('fine'), await anUnknownRun('fine')]
    const none = await http.post('/runs/retry', { filter: { ids } })
    expect(none.body.matched).toBe(0)
    const both = await http.post('/runs/retry', { filter: { ids, state: ['unknown', 'dead'] } })
    expect(both.body).toMatchObject({ matched: 2, retried: 2, complete: true })
  })

  test.for([
    ['/runs/cancel', {}, '/filter'],
    ['/runs/cancel', { filter: {} }, '/filter'],
    ['/runs/retry', { filter: {} }, '/filter'],
    ['/runs/cancel', { filter: { queue: 'q', state: ['dead'] } }, undefined],
    ['/runs/retry', { filter: { state: ['running'] } }, '/filter/state'],
    ['/runs/cancel', { filter: { queue: 'q' }, limit: 10_001 }, '/limit'],
    ['/runs/cancel', { filter: { queue: 'q', tenant_id: 1 } }, '/filter/tenant_id'],
    ['/runs/reschedule', { filter: { queue: 'q' } }, '/run_at'],
    ['/runs/promote', { filter: { ids: ['x'] } }, undefined],
    ['/runs/promote', { filter: { ids: [] } }, '/filter/ids'],
    ['/runs/retry', { filter: { ids: [] }, dry_run: true }, '/filter/ids'],
    ['/runs/promote', { filter: { queue: 'q', created_from: 'x' } }, undefined],
  ] as const)('refuses %s with %j', async ([path, body, pointer]) => {
    const answer = await http.post(path, body)
    expect([answer.status, answer.body.pointer]).toEqual([400, pointer ?? answer.body.pointer])
  })

  test('are limited to the tenant of the caller', async () => {
    const queue = name('queue')
    const id = await submit({ handler: 'nobody', queue })
    const dead = await submit({ handler: 'dies', queue })
    await become(dead, 'dead')
    const options = { key: rival }
    for (const body of [{ filter: { queue } }, { filter: { ids: [id, dead] } }]) {
      expect((await http.post('/runs/cancel', body, options)).body.matched).toBe(0)
      expect((await http.post('/runs/retry', body, options)).body.matched).toBe(0)
    }
    expect((await http.post('/runs/cancel', { all: true }, options)).body.matched).toBe(0)
    expect((await http.get(`/runs?queue=${queue}`, options)).body.runs).toEqual([])
    expect((await http.get(`/runs/counts?queue=${queue}`, options)).body.count).toBe(0)
    expect(await stateOf(id)).toBe('queued')
  })
})

describe('a followed log', () => {
  test('has every line until the run has ended, and resumes after a line', async () => {
    const id = await submit({ handler: 'fine', payload: { lines: 4 } })
    const events = await readEvents(`${http.url}/v1/runs/${id}/logs`, { key: http.admin })
    expect(events.map(({ event }) => event)).toEqual(['log', 'log', 'log', 'log', 'end'])
    expect(events[0]).toMatchObject({ id: '1.0', data: { message: 'line 0', data: { i: 0 } } })
    expect(events.at(-1)?.data).toEqual({ id, state: 'succeeded' })
    const rest = await readEvents(`${http.url}/v1/runs/${id}/logs`, {
      ...{ key: http.admin, lastEventId: '1.2' },
    })
    expect(rest.map(({ event, id: at }) => [event, at])).toEqual([
      ['log', '1.3'],
      ['end', undefined],
    ])
  })

  test('is refused to other tenants and for an invalid position', async () => {
    const id = await submit({ handler: 'nobody' })
    const headers = { accept: 'text/event-stream' }
    const other = await http.get(`/runs/${id}/logs`, { key: rival, headers })
    expect([other.status, other.body.code]).toEqual([404, 'run_not_found'])
    const odd = await http.get(`/runs/${id}/logs`, {
      headers: { ...headers, 'last-event-id': '1.x' },
    })
    expect([odd.status, odd.body.code]).toEqual([400, 'invalid_cursor'])
  })
})
