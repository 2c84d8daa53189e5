/**
 * Two calls that race on PostgreSQL. Their answers and the rows must be those of one of the two
 * orders, in which the store in memory performs them.
 */
import type { ClaimedRun, ClaimResult } from '@punctual/core/ports'
import { compileOptions, makeSubmission } from '@punctual/core/submit'
import { type PostgresStore, systemRandom } from '@punctual/store'
import { succeeded } from '@punctual/testkit'
import fc from 'fast-check'
import { expect } from 'vitest'
import { planAll, plannerOf } from '../kit/planning-kit.ts'
import { byPolicy } from '../memory/steps.ts'
import { passed, planInMemory } from '../memory/twin-jobs.ts'
import type { Twins } from '../memory/twins.ts'

const CRASHES_UNTIL_QUARANTINE = 3

interface Call {
  readonly theirs: (store: PostgresStore) => Promise<unknown>
  /** The same call in memory; gets the answer of PostgreSQL, which may contain new ids. */
  readonly ours: (answer: unknown) => Promise<unknown>
}

type Race = readonly [Call, Call]

async function perform(twins: Twins, rival: PostgresStore, calls: Race): Promise<void> {
  const [first, second] = calls
  const answers = await Promise.all([first.theirs(twins.t.store), second.theirs(rival)])
  await twins.learnSlots()
  const inOrder = async (order: readonly (0 | 1)[]) => {
    const ours: unknown[] = []
    for (const i of order) ours[i] = await calls[i].ours(answers[i])
    expect(ours).toEqual(answers)
    await twins.compare()
  }
  const { db } = twins.memory
  let commits = 0
  db.onCommit = () => commits++
  try {
    await inOrder([0, 1])
  } catch (error) {
    db.onCommit = null
    db.failOver(commits)
    await inOrder([1, 0]).catch(() => Promise.reject(error))
  }
}

/** A run that this worker holds. */
function heldBy({ held, memory }: Twins, worker: number): ClaimedRun | undefined {
  return held[worker]?.find(({ id, fence }) => memory.db.leases.get(id)?.fence === fence)
}

/** While one lease is being settled, the reaper takes the others and leaves the session. */
const isOnlyLease = ({ memory }: Twins, session: string) =>
  memory.db.leases.values().filter(({ sessionId }) => sessionId === session).length === 1

const settlementOf = (run: ClaimedRun, ok: boolean) => (ok ? succeeded(run) : byPolicy(run, 'fail'))

const settling = (twins: Twins, worker: number, run: ClaimedRun, ok: boolean): Call => {
  const session = twins.sessions[worker] as string
  const settlements = [settlementOf(run, ok)]
  return {
    theirs: (store) => store.work.settle(session, settlements),
    ours: () => twins.memory.work.settle(session, settlements),
  }
}

const cancelling = (twins: Twins, id: string): Call => ({
  theirs: async (store) => (await store.steering.cancel([id], 'asked')).get(id) ?? null,
  ours: () => twins.memory.client.runs.cancel(id, 'asked'),
})

/** The reaper skips a lease that is being settled: its session then stays until the next pass. */
const reaping = (twins: Twins, session: string): Call => ({
  theirs: (store) => store.upkeep.reap([session], CRASHES_UNTIL_QUARANTINE),
  ours: async (answer) => {
    const isSkipped = (answer as { sessions: number }).sessions === 0
    return isSkipped ? answer : twins.memory.upkeep.reap([session], CRASHES_UNTIL_QUARANTINE)
  },
})

const idsOf = ({ runs, parked }: ClaimResult) => ({
  runs: runs.map(({ id, fence }) => `${id} ${fence}`).sort(),
  parked: parked.toSorted(),
})

async function claiming(twins: Twins, worker: number): Promise<Call> {
  const lanes = await twins.t.lanes()
  const sessionId = twins.sessions[worker] as string
  const request = { sessionId, fence: systemRandom.token(), limit: 2, lanes }
  return {
    theirs: async (store) => {
      const result = await store.work.claim(request)
      twins.held[worker]?.push(...result.runs)
      return idsOf(result)
    },
    ours: async () => idsOf(await twins.memory.work.claim(request)),
  }
}

function submitting({ memory, runs }: Twins): Call {
  const submission = makeSubmission(compileOptions('test', { key: 'c' }), '1')
  const { submitter } = memory.client
  return {
    theirs: async (store) => {
      const [accepted] = await store.submit([submission])
      if (accepted?.created) runs.push(accepted.id)
      return accepted
    },
    ours: async (answer) => {
      const { id, created } = answer as { id: string; created: boolean }
      return submitter.submit(await submitter.prepare(submission, created ? id : undefined))
    },
  }
}

const planning = (twins: Twins): Call => {
  const nowMs = passed(twins, 0)
  return {
    theirs: (store) => planAll(plannerOf({ store, alone: true, nowMs: () => nowMs })),
    ours: () => planInMemory(twins, nowMs),
  }
}

const pausing = (twins: Twins, id: string): Call => ({
  theirs: (store) => store.schedules.steering.pause(id, null, 1),
  ours: () => twins.memory.client.jobs.pause(id),
})

const renewing = (twins: Twins, session: string): Call => ({
  theirs: (store) => store.work.renewSession(session),
  ours: () => twins.memory.work.renewSession(session),
})

export const races = [
  ...(['settle and reap', 'settle and cancel', 'claim and cancel'] as const),
  ...(['submit and submit', 'plan and pause', 'renew and reap'] as const),
] as const

export interface RaceInput {
  readonly kind: (typeof races)[number]
  readonly worker: number
  readonly pick: number
  readonly ok: boolean
}

export const raced: fc.Arbitrary<RaceInput> = fc.record({
  kind: fc.constantFrom(...races),
  worker: fc.nat(2),
  pick: fc.nat(1_000),
  ok: fc.boolean(),
})

/** Returns false when the state has nothing to race for. */
export async function race(twins: Twins, rival: PostgresStore, input: RaceInput): Promise<boolean> {
  const calls = await callsOf(twins, input)
  if (calls === null) return false
  const { kind, worker } = input
  const reaps = kind === 'settle and reap' || kind === 'renew and reap'
  if (reaps) await twins.expire(worker)
  await perform(twins, rival, calls)
  if (reaps) await twins.reapExpired(worker)
  return true
}

async function callsOf(twins: Twins, input: RaceInput): Promise<Race | null> {
  const { kind, worker, pick, ok } = input
  const session = twins.sessions[worker] as string
  const held = heldBy(twins, worker)
  const queued = twins.memory.db.queue.values()
  const waiting = queued[pick % Math.max(1, queued.length)]
  const job = twins.jobs[pick % Math.max(1, twins.jobs.length)]
  switch (kind) {
    case 'settle and reap':
      return held && isOnlyLease(twins, session)
        ? [settling(twins, worker, held, ok), reaping(twins, session)]
        : null
    case 'settle and cancel':
      return held ? [settling(twins, worker, held, ok), cancelling(twins, held.id)] : null
    case 'claim and cancel':
      return waiting ? [await claiming(twins, worker), cancelling(twins, waiting.runId)] : null
    case 'submit and submit':
      return [submitting(twins), submitting(twins)]
    case 'plan and pause':
      return job ? [planning(twins), pausing(twins, job)] : null
    case 'renew and reap':
      return [renewing(twins, session), reaping(twins, session)]
  }
}
