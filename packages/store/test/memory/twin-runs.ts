/** What submitters, workers and users do to runs, on both stores; their answers are equal. */
import { encodeJson } from '@punctual/core/check'
import type { ClaimedRun, LaneYield, Settlement } from '@punctual/core/ports'
import { compileOptions, makeSubmission, type SubmitOptions } from '@punctual/core/submit'
import { systemClock, systemRandom } from '@punctual/store'
import { plainRun, retry, succeeded } from '@punctual/testkit'
import { expect } from 'vitest'
import { gateOf } from '../../src/submit/flow-keys.ts'
import { HOUR_MS, type Twins } from './twins.ts'

export async function submit(twins: Twins, options: SubmitOptions): Promise<void> {
  const submission = makeSubmission(compileOptions('test', options), encodeJson({ n: 1 }))
  const [accepted] = await twins.t.store.submit([submission])
  const id = accepted?.created ? accepted.id : undefined
  const { submitter } = twins.memory.client
  expect(await submitter.submit(await submitter.prepare(submission, id))).toEqual(accepted)
  if (id) twins.runs.push(id)
  // Releases of the submission itself have taken place once this has.
  const { concurrency } = submission.flow ?? {}
  const gate = submission.flow && concurrency ? gateOf(1, submission.flow) : null
  if (gate !== null) await twins.both(({ parked }) => parked.releaseGates([gate]))
}

export async function claim(twins: Twins, worker: number, limit: number): Promise<void> {
  const request = {
    sessionId: twins.sessions[worker] as string,
    fence: systemRandom.token(),
    limit,
  }
  const lanes = await twins.t.lanes()
  expect(await twins.memory.work.lanes(['test', 'other'], [])).toEqual(lanes)
  const weights = lanes.map((_, i) => 1 + ((limit + i) % 3))
  const theirs = await twins.t.store.work.claim({ ...request, lanes, weights })
  const ours = await twins.memory.work.claim({ ...request, lanes, weights })
  // Runs due in one store are due in the other; the next due time is exact to the millisecond.
  const { nextDueInMs: theirNext, parked: theirParked, gave: theyGave, ...answer } = theirs
  const { nextDueInMs: ourNext, parked: ourParked, gave, ...mine } = ours
  expect(withoutTimes(mine)).toEqual(withoutTimes(answer))
  const byLane = (a: LaneYield, b: LaneYield) => a.lane - b.lane
  expect(gave.toSorted(byLane)).toMatchObject(
    theyGave.toSorted(byLane).map(({ lane, runs, full }) => ({ lane, runs, full })),
  )
  expect(ourParked.toSorted()).toEqual(theirParked.toSorted())
  expect(ourNext === null).toBe(theirNext === null)
  twins.held[worker]?.push(...theirs.runs.map(plainRun))
}

export async function settle(
  twins: Twins,
  worker: number,
  settlements: readonly Settlement[],
): Promise<void> {
  const session = twins.sessions[worker] as string
  const theirs = await twins.t.store.work.settle(session, settlements)
  const ours = await twins.memory.work.settle(session, settlements)
  expect(ours.toSorted()).toEqual(theirs.toSorted())
}

export async function die(twins: Twins, worker: number): Promise<void> {
  await twins.expire(worker)
  await twins.reapExpired(worker)
}

export async function cancel(twins: Twins, pick: number): Promise<void> {
  const id = twins.runs[pick % Math.max(1, twins.runs.length)]
  if (!id) return
  const theirs = (await twins.t.store.steering.cancel([id], 'asked')).get(id) ?? null
  expect(await twins.memory.client.runs.cancel(id, 'asked')).toBe(theirs)
}

export async function reschedule(twins: Twins, pick: number, far: boolean): Promise<void> {
  const id = twins.runs[pick % Math.max(1, twins.runs.length)]
  if (!id) return
  const dueMs = systemClock.wallMs() + (far ? HOUR_MS : 0)
  const theirs = (await twins.t.store.steering.reschedule([id], dueMs)).has(id)
  expect(await twins.memory.client.runs.reschedule(id, dueMs)).toBe(theirs)
}

export async function hasten(twins: Twins, pick: number): Promise<void> {
  const id = twins.runAt(pick)
  if (!id) return
  const theirs = (await twins.t.store.steering.reschedule([id], null)).has(id)
  expect(await twins.memory.client.runs.reschedule(id, null)).toBe(theirs)
}

export async function reprioritise(twins: Twins, pick: number, priority: number): Promise<void> {
  const id = twins.runAt(pick)
  if (!id) return
  const theirs = (await twins.t.store.steering.reprioritise([id], priority)).has(id)
  expect(await twins.memory.client.runs.reprioritise(id, priority)).toBe(theirs)
}

export async function edit(twins: Twins, pick: number, payload: string): Promise<void> {
  const id = twins.runAt(pick)
  if (!id) return
  const theirs = (await twins.t.store.steering.edit([id], payload)).has(id)
  expect(await twins.memory.client.runs.edit(id, payload)).toBe(theirs)
}

/** Replays a dead letter, or any other run. */
export async function replay(
  twins: Twins,
  pick: number,
  payload: string | null,
  fromCheckpoint: boolean,
): Promise<void> {
  const dead = twins.memory.db.deadLetters.values().map(({ runId }) => runId)
  const id = dead[pick % Math.max(1, dead.length)] ?? twins.runAt(pick)
  if (!id) return
  const options = { note: null, by: null, fromCheckpoint }
  const { deadLetterSteering } = twins.t.store
  const [theirs] = await deadLetterSteering.replay([{ id, payload }], options, 1, null)
  const newId = theirs?.result === 'replayed' ? theirs.id : 'no such run'
  const ours = await twins.memory.client.deadLetters.replay({ id, newId, payload, fromCheckpoint })
  expect(ours).toBe(theirs?.result)
  if (theirs?.result === 'replayed') twins.runs.push(newId)
}

export async function discard(twins: Twins, pick: number): Promise<void> {
  const dead = twins.memory.db.deadLetters.values().map(({ runId }) => runId)
  const id = dead[pick % Math.max(1, dead.length)]
  if (!id) return
  const by = { note: null, by: null }
  const theirs = (await twins.t.store.deadLetterSteering.discard([id], by, 1, null)).has(id)
  expect(await twins.memory.client.deadLetters.discard(id)).toBe(theirs)
}

/** Removes due times: they come from the server that created the run. */
function withoutTimes({ runs, ...rest }: { runs: readonly ClaimedRun[] }) {
  return { ...rest, runs: runs.map(plainRun).map(({ dueMs: _, ...run }) => run) }
}

/** The target of a run that awaits it reports a success or a failure. */
export async function report(twins: Twins, pick: number, fails: boolean): Promise<void> {
  const run = twins.awaiting[pick % Math.max(1, twins.awaiting.length)]
  if (!run) return
  const settlement = fails ? retry(run) : succeeded(run)
  const theirs = await twins.t.store.work.settle('0', [settlement])
  expect(await twins.memory.work.settle('0', [settlement])).toEqual(theirs)
}
