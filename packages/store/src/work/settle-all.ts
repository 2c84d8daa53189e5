/**
 * The parameters with which successes are settled together: lists where the values differ, and one
 * value or null where all are the same.
 */
import { invariant, limits } from '@punctual/core/errors'
import type { ClaimedRun, Fence, Settlement } from '@punctual/core/ports'
import { traits } from '@punctual/core/run'
import {
  booleanArray,
  int2Array,
  int4Array,
  int8Array,
  int8ArrayOfNumbers,
  sumOfInt8Array,
  textArray,
  uuidArray,
} from '../connection/binary-arrays.ts'
import type { ArrayOf, Call } from '../sql/typed.ts'
import { type SettleAllSucceededRow, settleAllSucceeded } from './statements.gen.ts'

type Success = Extract<Settlement, { kind: 'succeeded' }>

/** Milliseconds as an integer that PostgreSQL can hold. */
export const ago = (ms: number): number => Math.min(2_147_483_647, Math.max(0, Math.round(ms)))
export function fences(runs: readonly Fence[]): [runIds: ArrayOf<'uuid'>, fences: ArrayOf<'int8'>] {
  return [uuidArray(runs.map((run) => run.id)), int8Array(runs.map((run) => run.fence))]
}

export function outputs(succeeded: readonly Success[]): ArrayOf<'text'> | null {
  return succeeded.some((s) => s.output !== null) ? textArray(succeeded.map((s) => s.output)) : null
}

export function byTenant(succeeded: readonly Success[]): Iterable<readonly Success[]> {
  const tenantId = succeeded[0]?.run.tenantId
  if (succeeded.every((s) => s.run.tenantId === tenantId)) return [succeeded]
  const tenants = new Map<number, Success[]>()
  for (const s of succeeded) {
    const batch = tenants.get(s.run.tenantId)
    if (batch) batch.push(s)
    else tenants.set(s.run.tenantId, [s])
  }
  return tenants.values()
}

/** Sends lists where the values differ, and one value or null where all are the same. */
export function settleAll(
  sessionId: string,
  runs: readonly ClaimedRun[],
  succeeded: readonly Success[],
): Call<SettleAllSucceededRow> {
  const [first] = runs
  invariant(first, 'a batch has runs')
  const sameLane = runs.every((run) => run.lane === first.lane)
  const tried = runs.some((run) => run.attempt > 0)
  const keyed = runs.filter((run) => (run.traits & traits.keyed) !== 0)
  const held: string[] = []
  for (const run of runs) if (run.jobId !== null && overlapOf(run) !== 0) held.push(run.jobId)
  const gated = runs.filter((run) => (run.traits & traits.gated) !== 0)
  const followed = followedBy(runs)
  const [ids, fenceValues] = fences(runs)
  const counts: [number, number][] = sameLane ? [[first.lane, runs.length]] : countLanes(runs)
  return settleAllSucceeded(
    sessionId,
    ids,
    fenceValues,
    int4Array(succeeded.map((s) => ago(s.startedAgoMs ?? 0))),
    outputs(succeeded),
    sameLane ? null : int4Array(runs.map((run) => run.lane)),
    first.lane,
    first.tenantId,
    tried ? int2Array(runs.map(nextAttempt)) : null,
    tried ? int2Array(runs.map((run) => run.crashes)) : null,
    keyed.length > 0 ? uuidArray(keyed.map((run) => run.id)) : null,
    sumOfInt8Array(fenceValues),
    int4Array(counts.map(([lane]) => lane)),
    int8ArrayOfNumbers(counts.map(([, count]) => count)),
    held.length > 0 ? uuidArray(held) : null,
    followed.length > 0 ? uuidArray(followed.map(([jobId]) => jobId)) : null,
    followed.length > 0 ? booleanArray(followed.map(([, rearms]) => rearms)) : null,
    gated.length > 0 ? uuidArray(gated.map((run) => run.id)) : null,
  )
}

const nextAttempt = ({ attempt }: ClaimedRun) => Math.min(attempt + 1, limits.attemptsCounted)

export const overlapOf = (run: ClaimedRun) => (run.traits >> traits.overlapShift) & 7

/** The jobs that an end affects, in the order in which they are locked. */
function followedBy(runs: readonly ClaimedRun[]): [jobId: string, rearms: boolean][] {
  const jobs = new Map<string, boolean>()
  for (const { jobId, traits: bits } of runs)
    if (jobId !== null && (bits & (traits.rearms | traits.failuresCounted)) !== 0)
      jobs.set(jobId, (jobs.get(jobId) ?? false) || (bits & traits.rearms) !== 0)
  return [...jobs].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Counts the runs of each lane, in the order in which counters are locked. */
function countLanes(runs: readonly ClaimedRun[]): [lane: number, count: number][] {
  const counts = new Map<number, number>()
  for (const run of runs) counts.set(run.lane, (counts.get(run.lane) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a - b)
}
