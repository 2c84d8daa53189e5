import { expect, it } from 'vitest'
import { type ClaimAnswer, givenLanes, TakenDefinitions, TakenRuns } from './claim-codec.ts'

const NOTHING: ClaimAnswer = {
  nextPos: null,
  unseen: null,
  xmin: '100',
  xmax: '100',
  bound: '1',
  givenLanes: null,
  givenRuns: null,
  givenLastPos: null,
  givenShares: null,
  runIds: null,
  lanes: null,
  marks: null,
  ids: null,
  timeoutsMs: null,
  maxAttempts: null,
  duesMs: null,
  payloads: null,
  extras: null,
}

const TWO: ClaimAnswer = {
  ...NOTHING,
  givenLanes: '7',
  givenRuns: '2',
  givenLastPos: '90',
  givenShares: '5',
  runIds: 'a,b',
  lanes: '7,7',
  timeoutsMs: '300000,1000',
  maxAttempts: '3,1',
  duesMs: '1800000000000,1800000000001',
  payloads: '{"a":1}\u001e[2]',
  extras: '\u001e',
}

/** All that the definitions say about a run. */
const definitionOf = (definitions: TakenDefinitions, id: string, place: number) => ({
  timeoutMs: definitions.timeoutMs(id, place),
  maxAttempts: definitions.maxAttempts(id, place),
  dueMs: definitions.dueMs(id, place),
  payload: definitions.payload(id, place),
  ...definitions.extra(id, place),
})

const read = (answer: ClaimAnswer) => {
  const runs = new TakenRuns(answer, givenLanes(answer))
  const definitions = new TakenDefinitions(answer, runs.ids)
  return { runs, definitions, missing: definitions.missing(runs.ids) }
}

it('a claim that took nothing has no runs and no lanes', () => {
  const { runs, missing } = read(NOTHING)
  expect(runs.ids).toEqual([])
  expect(missing).toEqual([])
  expect(givenLanes(NOTHING)).toEqual([])
})

it('runs of one lane have their definitions in the order of their ids', () => {
  const { runs, definitions, missing } = read(TWO)
  expect(missing).toEqual([])
  expect([0, 1].map((place) => runs.laneAt(place))).toEqual([7, 7])
  expect(runs.marksAt(1)).toEqual({ traits: 0, crashes: 0, attempt: 0 })
  expect(definitionOf(definitions, 'b', 1)).toEqual({
    timeoutMs: 1_000,
    maxAttempts: 1,
    dueMs: 1_800_000_000_001,
    payload: '[2]',
    jobId: null,
    slotMs: null,
    missedFromMs: null,
    policy: null,
    trace: null,
  })
})

it('a lane is full when it gave its share', () => {
  const answer = {
    ...TWO,
    givenLanes: '7,8',
    givenRuns: '5,1',
    givenLastPos: '90,80',
    givenShares: '5,5',
  }
  expect(givenLanes(answer)).toEqual([
    { lane: 7, runs: 5, lastPos: '90', full: true },
    { lane: 8, runs: 1, lastPos: '80', full: false },
  ])
  expect(new TakenRuns({ ...answer, lanes: '8,7' }, givenLanes(answer)).laneAt(0)).toBe(8)
})

it('marks hold traits, crashes and attempt of each run', () => {
  const { runs } = read({ ...TWO, marks: '0.0.0,513.2.31' })
  expect(runs.marksAt(0)).toEqual({ traits: 0, crashes: 0, attempt: 0 })
  expect(runs.marksAt(1)).toEqual({ traits: 513, crashes: 2, attempt: 31 })
})

it('a run of another day and a large payload are missing until they are read', () => {
  const { definitions, missing } = read({
    ...TWO,
    runIds: 'a,b,c',
    ids: ['b', 'c'],
    payloads: '[2]\u001e',
  })
  expect(missing).toEqual(['a', 'c'])
  expect(definitionOf(definitions, 'b', 1)).toMatchObject({ payload: '[2]', timeoutMs: 300_000 })
  expect(definitions.has('a')).toBe(false)
  const later = { ...TWO, timeoutMs: 1, maxAttempts: 1, dueMs: 1, payload: '{}' }
  const extra = { jobId: null, slotMs: null, missedFromMs: null, policy: null, trace: null }
  definitions.add('a', { ...later, ...extra })
  expect(definitionOf(definitions, 'a', 0)).toMatchObject({ payload: '{}' })
})

it('an empty payload among those of the claim is read separately', () => {
  const { missing } = read({ ...TWO, payloads: '{"a":1}\u001e' })
  expect(missing).toEqual(['b'])
})

it('an extra holds job, slots, policy and trace, each of which may be empty', () => {
  const { definitions } = read({
    ...TWO,
    extras: 'job\u001f1800000000000\u001f\u001f{"p":1}\u001f\u001e\u001f\u001f\u001f\u001f00-trace',
  })
  expect(definitionOf(definitions, 'a', 0)).toMatchObject({
    jobId: 'job',
    slotMs: 1_800_000_000_000,
    missedFromMs: null,
    policy: '{"p":1}',
    trace: null,
  })
  expect(definitionOf(definitions, 'b', 1)).toMatchObject({
    jobId: null,
    slotMs: null,
    trace: '00-trace',
  })
})
