/**
 * The permitted behaviour of a run, as pure functions on data: the reference for the real store. It
 * knows the rules (docs/concepts/protocol.md), not how they are kept: no locks, no clocks, no SQL.
 */
import type { Overlap } from '@punctual/core/job'
import type { FinalState, Place } from '@punctual/core/run'

export interface ModelLease {
  readonly fence: string
  readonly session: string
  /** The start mark is committed. */
  readonly marked: boolean
  /** The handler was asked to stop. */
  readonly cancelling: boolean
}

export interface ModelRun {
  readonly id: string
  readonly key: string | null
  readonly maxAttempts: number
  readonly atMostOnce: boolean
  readonly jobId: string | null
  readonly overlap: Overlap
  readonly place: Exclude<Place, 'nowhere'>
  /** Whether the run is due. */
  readonly due: boolean
  /** Number of ended attempts. */
  readonly attempt: number
  readonly crashes: number
  readonly lease: ModelLease | null
  /** For a job that must not overlap: whether this run holds the job. */
  readonly holds: boolean
  readonly final: FinalState | null
}

export type NewRun = Pick<
  ModelRun,
  'id' | 'key' | 'maxAttempts' | 'atMostOnce' | 'jobId' | 'overlap'
>

/** How far in the future a due time is: due, within the queue's horizon, or beyond it. */
export type Distance = 'now' | 'near' | 'far'

const waitsIn = (distance: Distance) =>
  ({ place: distance === 'far' ? 'later' : 'queue', due: distance === 'now' }) as const

export function made(run: NewRun, distance: Distance): ModelRun {
  const fresh = { attempt: 0, crashes: 0, lease: null, holds: false, final: null }
  return { ...run, ...waitsIn(distance), ...fresh }
}

export function claimed(run: ModelRun, fence: string, session: string): ModelRun {
  const lease = { fence, session, marked: false, cancelling: false }
  return { ...run, place: 'leases', lease, holds: run.overlap !== 'allow' }
}

export function marked(run: ModelRun): ModelRun {
  return run.lease ? { ...run, lease: { ...run.lease, marked: true } } : run
}

/** Whether a worker that presents this fence may still end the run. */
export function isHeldBy(run: ModelRun, fence: string): boolean {
  return run.lease?.fence === fence
}

function ended(run: ModelRun, final: FinalState): ModelRun {
  const attempt = run.attempt + (run.lease ? 1 : 0)
  return { ...run, place: 'outcomes', attempt, lease: null, holds: false, final }
}

export type Ending =
  | { readonly kind: 'succeeded' | 'dead' | 'cancelled' }
  | { readonly kind: 'retry'; readonly distance: Distance }

/** Applies an accepted outcome to a leased run. A run with a cancel request is not retried. */
export function settled(run: ModelRun, ending: Ending): ModelRun {
  if (ending.kind !== 'retry') return ended(run, ending.kind)
  if (run.lease?.cancelling) return ended(run, 'cancelled')
  return { ...run, ...waitsIn(ending.distance), attempt: run.attempt + 1, lease: null }
}

/** A claim is not an attempt: a run that did not start goes back unchanged and keeps its job. */
export function givenBack(run: ModelRun): ModelRun {
  if (run.lease?.cancelling) return ended(run, 'cancelled')
  return { ...run, ...waitsIn('now'), lease: null }
}

/** Applies the reaper's decision when the worker's heartbeats have stopped. */
export function reaped(run: ModelRun, crashesUntilQuarantine: number): ModelRun {
  const { lease } = run
  if (!lease) return run
  const back = { ...run, ...waitsIn('now'), lease: null }
  const crashed = { ...run, crashes: run.crashes + 1 }
  if (run.atMostOnce && lease.marked) return ended(crashed, 'unknown')
  if (lease.cancelling) return ended(crashed, 'cancelled')
  if (run.atMostOnce || (!lease.marked && run.crashes > 0)) return back
  if (run.crashes + 1 >= crashesUntilQuarantine) return ended(crashed, 'dead')
  return { ...back, attempt: run.attempt + 1, crashes: run.crashes + 1 }
}

/** Cancels a waiting run at once and asks a running one to stop. */
export function cancelled(run: ModelRun): ModelRun {
  if (run.final) return run
  if (!run.lease) return ended(run, 'cancelled')
  return { ...run, lease: { ...run.lease, cancelling: true } }
}

export function rescheduled(run: ModelRun, distance: Distance): ModelRun {
  return run.place === 'later' || run.place === 'queue' ? { ...run, ...waitsIn(distance) } : run
}

export function promoted(run: ModelRun): ModelRun {
  return run.place === 'later' && run.due ? { ...run, place: 'queue' } : run
}

export function parked(run: ModelRun): ModelRun {
  return { ...run, place: 'parked' }
}
