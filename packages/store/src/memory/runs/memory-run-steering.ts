/** Actions on existing runs, in memory: cancel, reschedule, reprioritise, edit the payload. */
import type { MemoryStoreOptions } from '../tables/line.ts'
import type { MemoryWorkStore } from '../work/memory-work-store.ts'
import {
  cancelAwaiting,
  cancelIn,
  cancelInLeases,
  editIn,
  laneForPriority,
  reprioritiseIn,
  rescheduleIn,
  type WaitingPlace,
} from './steer.ts'

const CANCEL_ROUNDS = 3
/** The places of a waiting run, ending with those that it may have moved to. */
const PLACES: readonly WaitingPlace[] = ['later', 'queue', 'parked', 'later', 'queue']

export class MemoryRunSteering {
  readonly #options: MemoryStoreOptions
  readonly #work: MemoryWorkStore

  constructor(options: MemoryStoreOptions, work: MemoryWorkStore) {
    this.#options = options
    this.#work = work
  }

  #call<T>(what: string, work: () => T): Promise<T> {
    return this.#options.line.call(what, work)
  }

  /** Null when the run has ended. */
  async cancel(id: string, reason: string): Promise<'cancelled' | 'cancelling' | null> {
    const { db, hints } = this.#options
    for (let round = 0; round < CANCEL_ROUNDS; round++) {
      if (await this.#cancelWaiting(id, reason)) return 'cancelled'
      const ended = await this.#call('cancel-awaiting', () => cancelAwaiting(db, id, reason))
      if (ended) {
        if (ended.jobId !== null) await this.#work.release([ended.jobId])
        if (ended.gate !== null) await this.#work.releaseGates([BigInt(ended.gate)])
        return 'cancelled'
      }
      const now = await this.#call('cancel-in-leases', () => cancelInLeases(db, id, reason))
      if (now) hints.cancels([id])
      if (now !== null) return 'cancelling'
    }
    return null
  }

  async #cancelWaiting(id: string, reason: string): Promise<boolean> {
    for (const place of PLACES) {
      const job = await this.#call(`cancel-in-${place}`, () =>
        cancelIn(this.#options.db, place, id, reason),
      )
      if (job === undefined) continue
      if (job !== null) await this.#work.release([job])
      return true
    }
    return false
  }

  /** Moves a run that has not started to another time, null for now; false when it cannot. */
  async reschedule(id: string, dueMs: number | null): Promise<boolean> {
    const { db, horizonMs, hints } = this.#options
    for (const place of ['later', 'queue', 'later'] as const) {
      const moved = await this.#call(`reschedule-in-${place}`, () =>
        rescheduleIn(db, place, id, dueMs, horizonMs),
      )
      if (moved) hints.queued([])
      if (moved) return true
    }
    return false
  }

  /** Changes the priority of a run that waits; true when it has the priority now. */
  async reprioritise(id: string, priority: number): Promise<boolean> {
    const { db, hints } = this.#options
    const move = await this.#call('find-lane', () => laneForPriority(db, id, priority))
    if (move === null || move.lane === move.from) return move !== null
    const moved = await this.#inPlaces('reprioritise', (place) =>
      reprioritiseIn(db, place, id, move.lane),
    )
    if (moved) hints.queued([move.lane])
    return moved
  }

  /** Replaces the payload of a run that was never tried; false for others. */
  async edit(id: string, payload: string): Promise<boolean> {
    const { db, hints } = this.#options
    const edited = await this.#inPlaces('edit', (place) => editIn(db, place, id, payload))
    if (edited) hints.queued([])
    return edited
  }

  async #inPlaces(what: string, change: (place: WaitingPlace) => boolean): Promise<boolean> {
    for (const place of PLACES)
      if (await this.#call(`${what}-in-${place}`, () => change(place))) return true
    return false
  }
}
