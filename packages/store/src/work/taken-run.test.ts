import { traits } from '@punctual/core/run'
import { expect, it } from 'vitest'
import { type ClaimAnswer, type RunMarks, TakenDefinitions } from './claim-codec.ts'
import { type LaneOfClaim, TakenRun } from './taken-run.ts'

const ANSWER: ClaimAnswer = {
  ...{ nextPos: null, unseen: null, xmin: '1', xmax: '1', bound: '1' },
  ...{ givenLanes: '7', givenRuns: '2', givenLastPos: '9', givenShares: '5' },
  ...{ runIds: 'a,b', lanes: '7,7', marks: null, ids: null },
  timeoutsMs: '300000,1000',
  maxAttempts: '3,1',
  duesMs: '5000,7000',
  payloads: '{"a":1}\u001e[2]',
  extras: '\u001ejob\u001f6000\u001f\u001f{"expiresAtMs":9000}\u001f',
}
const LANE: LaneOfClaim = {
  ...{ id: 7, tenantId: 3, queue: 'q', handler: 'h', priority: 5, weight: 1, limited: true },
}
const UNMARKED = { traits: 0, crashes: 0, attempt: 0 }

interface Given {
  readonly lane?: LaneOfClaim
  readonly marks?: RunMarks
  readonly gates?: readonly string[] | null
}

function runs({ lane = LANE, marks = UNMARKED, gates = null }: Given = {}) {
  const definitions = new TakenDefinitions(ANSWER, ['a', 'b'])
  const claim = { fence: 100n, boundMs: 8_000, definitions, gates }
  return ['a', 'b'].map((id, place) => new TakenRun(claim, lane, id, place, marks))
}

it('each run of a claim has the next fence', () => {
  expect(runs().map(({ fence }) => fence)).toEqual([101n, 102n])
})

it('a run has the properties of its lane and its own definition', () => {
  expect(runs()[1]).toMatchObject({
    ...{ id: 'b', lane: 7, tenantId: 3, queue: 'q', handler: 'h', priority: 5, limited: true },
    ...{ payload: '[2]', timeoutMs: 1_000, maxAttempts: 1, dueMs: 7_000, gate: null },
    ...{ jobId: 'job', slotMs: 6_000, missedFromMs: null, trace: null },
  })
})

it('a run in a lane that ages gains a priority for each period that it waited, up to the highest', () => {
  const ageing = (ageingMs: number) =>
    runs({ lane: { ...LANE, ageingMs } }).map(({ priority }) => priority)
  expect(ageing(1_500)).toEqual([7, 5])
  expect(ageing(100)).toEqual([10, 10])
})

it('a run expires relative to the claim, when it has an expiry', () => {
  const marks = { ...UNMARKED, traits: traits.expires }
  expect(runs({ marks })[1]?.expiresInMs).toBe(1_000)
  expect(runs()[1]?.expiresInMs).toBeNull()
})

it('a gate belongs to the run at its place', () => {
  expect(runs({ gates: ['', '12'] }).map(({ gate }) => gate)).toEqual([null, 12n])
})
