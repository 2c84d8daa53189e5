import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimRequest, ClaimResult } from '@punctual/core/ports'
import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { LaneClaims } from './lane-claims.ts'
import { LaneList } from './lane-list.ts'

const NOTHING: ClaimResult = {
  ...{ sessionAlive: true, runs: [], more: false, nextDueInMs: null, parked: [], gave: [] },
}
const lane = (id: number, queue: string): Lane => ({
  ...{ id, tenantId: 1, queue, handler: 'h', priority: 5, paused: false },
})

/** `rooms`: how many more runs each limited queue may hold. */
function make(
  rooms: Readonly<Record<string, number>>,
  lanes: readonly Lane[],
  answers: readonly ClaimResult[],
  sessionId: string | null = '1',
) {
  const clock = new ManualClock()
  const requests: ClaimRequest[] = []
  const events: string[] = []
  const claims = new LaneClaims({
    ...{ clock, hintsArrive: () => true, sessionId: () => sessionId },
    random: { fraction: () => 0.5, token: () => '7', fill: () => undefined },
    lanes: new LaneList(
      { lanes: async () => lanes, lanesWithRuns: async () => [] },
      clock,
      () => ['h'],
      [],
    ),
    capacity: {
      ...{ free: 10, running: 0, buffered: 0, exact: false },
      room: (queue) => rooms[queue] ?? null,
    },
    store: {
      claim: async (request) => {
        requests.push(request)
        return answers[requests.length - 1] ?? NOTHING
      },
    },
    onSessionLost: async () => void events.push('session lost'),
    onClaimed: async (runs) => void events.push(`claimed ${runs.length}`),
    onParked: (runIds) => events.push(`parked ${runIds}`),
    onLeftOut: () => events.push('left out'),
  })
  const sent = () => requests.map((each) => [each.lanes.map(({ id }) => id), each.limit])
  return { claims, sent, events }
}

it('each limited queue is claimed separately, up to its room and to what is left', async () => {
  const lanes = [lane(1, 'plain'), lane(2, 'capped'), lane(3, 'plain')]
  const runs = [{ id: 'a' }, { id: 'b' }] as ClaimedRun[]
  const { claims, sent } = make({ capped: 4 }, lanes, [{ ...NOTHING, runs }])
  const results = await claims.claim(5)
  expect(sent()).toEqual([
    [[3, 1], 5],
    [[2], 3],
  ])
  expect(results.map((result) => result.runs.length)).toEqual([2, 0])
})

it('a limited queue without room is left out and reported', async () => {
  const { claims, sent, events } = make({ capped: 0 }, [lane(1, 'capped')], [])
  expect(await claims.claim(5)).toEqual([])
  expect([sent(), events]).toEqual([[], ['left out']])
})

it('claimed and parked runs are passed on', async () => {
  const answer = { ...NOTHING, runs: [{ id: 'a' } as ClaimedRun], parked: ['b', 'c'] }
  const { claims, events } = make({}, [lane(1, 'plain')], [answer])
  await claims.claim(5)
  expect(events).toEqual(['claimed 1', 'parked b,c'])
})

it('an answer for a lost session is reported, and the claim is worth repeating', async () => {
  const { claims, events } = make({}, [lane(1, 'plain')], [{ ...NOTHING, sessionAlive: false }])
  expect(await claims.claim(5)).toMatchObject([{ runs: [], more: true }])
  expect(events).toEqual(['session lost'])
})

it('nothing is sent without a session', async () => {
  const { claims, sent } = make({}, [lane(1, 'plain')], [], null)
  expect(await claims.claim(5)).toEqual([{ runs: [], more: true, nextDueInMs: null }])
  expect(sent()).toEqual([])
})
