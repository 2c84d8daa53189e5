/** Actions on existing runs: cancel, reschedule, reprioritise, edit the payload. */

import { int4Array, uuidArray } from '../connection/binary-arrays.ts'
import type { Value } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { retrying } from '../connection/retrying.ts'
import type { Signals } from '../connection/signals.ts'
import type { LaneRegistry } from '../lanes/registry.ts'

const ROUNDS = 3
const DEADLINE_MS = 10_000

export interface RunSteeringOptions {
  readonly database: Database
  readonly signals: Signals
  readonly lanes: LaneRegistry
  readonly horizonMs: number
  /** Releases the first of the runs that wait for these jobs. */
  readonly release: (jobIds: readonly string[]) => Promise<void>
}

/** The places that each action searches, ending with those that a run may have moved to. */
const places = {
  cancel: ['later', 'queue', 'parked', 'later', 'queue'],
  // A run that waits for another run of its job has no due time to change.
  reschedule: ['later', 'queue', 'later'],
  reprioritise: ['later', 'queue', 'parked', 'later', 'queue'],
  edit: ['later', 'queue', 'parked', 'later', 'queue'],
} as const

export class RunSteering {
  readonly #options: RunSteeringOptions

  constructor(options: RunSteeringOptions) {
    this.#options = options
  }

  /** Cancels runs that have not started; returns the ids that it cancelled. */
  async cancelWaiting(
    ids: readonly string[],
    reason: string,
    tenantId = 1,
  ): Promise<ReadonlySet<string>> {
    const values = (left: readonly string[]) => [0, uuidArray(left), tenantId, reason]
    const cancelled = await this.#inPlaces('cancel', ids, values)
    const jobs = [...new Set(cancelled.values())].filter((job) => job !== null)
    if (jobs.length > 0) {
      await this.#options.release(jobs)
      this.#options.signals.jobsChanged()
    }
    return new Set(cancelled.keys())
  }

  /**
   * Cancels runs that have not started, and signals the handlers of running ones. Returns the
   * result for each run that it found; follows runs that move between a queue and a worker
   * meanwhile.
   */
  async cancel(
    ids: readonly string[],
    reason: string,
    tenantId = 1,
  ): Promise<ReadonlyMap<string, 'cancelled' | 'cancelling'>> {
    const answers = new Map<string, 'cancelled' | 'cancelling'>()
    const signalled: string[] = []
    const left = () => ids.filter((id) => !answers.has(id))
    for (let round = 0; round < ROUNDS && left().length > 0; round++) {
      for (const id of await this.cancelWaiting(left(), reason, tenantId))
        answers.set(id, 'cancelled')
      if (left().length === 0) break
      const values = [uuidArray(left()), tenantId, reason]
      for (const [id, now] of await this.#send('runs/steering/cancel-in-leases', values)) {
        answers.set(id as string, 'cancelling')
        if (now === 't') signalled.push(id as string)
      }
    }
    if (signalled.length > 0) this.#options.signals.cancel(signalled)
    return answers
  }

  /** Moves runs that have not started to another time, null for now; returns the moved ids. */
  async reschedule(
    ids: readonly string[],
    dueMs: number | null,
    tenantId = 1,
  ): Promise<ReadonlySet<string>> {
    const { horizonMs, signals } = this.#options
    const values = (left: readonly string[]) => [uuidArray(left), tenantId, dueMs, horizonMs]
    const moved = await this.#inPlaces('reschedule', ids, values)
    if (moved.size > 0) signals.anything()
    return new Set(moved.keys())
  }

  /** Changes the priority of runs that have not started; returns the ids that have it now. */
  async reprioritise(
    ids: readonly string[],
    priority: number,
    tenantId = 1,
  ): Promise<ReadonlySet<string>> {
    const done = new Set<string>()
    const lanes = new Set<number>()
    // Repeated for runs whose priority another session changes at the same time.
    for (let round = 0; round < ROUNDS && done.size < ids.length; round++) {
      const left = ids.filter((id) => !done.has(id))
      const moves = await this.#lanesFor(left, priority, tenantId, done)
      if (moves.size === 0) break
      const [from, to] = [int4Array([...moves.keys()]), int4Array([...moves.values()])]
      const values = (some: readonly string[]) => [uuidArray(some), tenantId, from, to]
      const moved = await this.#inPlaces('reprioritise', left, values)
      for (const id of moved.keys()) done.add(id)
      if (moved.size > 0) for (const lane of moves.values()) lanes.add(lane)
    }
    if (lanes.size > 0) this.#options.signals.due(lanes)
    return done
  }

  /** Maps the lanes of these runs to lanes of the priority; adds runs already there to `done`. */
  async #lanesFor(
    ids: readonly string[],
    priority: number,
    tenantId: number,
    done: Set<string>,
  ): Promise<ReadonlyMap<number, number>> {
    const moves = new Map<number, number>()
    for (const row of await this.#send('runs/list-run-lanes', [uuidArray(ids), tenantId])) {
      const [id, lane, queue, handler, current] = row
      if (Number(current) === priority) done.add(id as string)
      else if (!moves.has(Number(lane))) {
        const key = { tenantId, queue: queue as string, handler: handler as string, priority }
        moves.set(Number(lane), await this.#options.lanes.intern(key))
      }
    }
    return moves
  }

  /** Replaces the payload of runs that were never tried; returns the ids that have it now. */
  async edit(ids: readonly string[], payload: string, tenantId = 1): Promise<ReadonlySet<string>> {
    const values = (left: readonly string[]) => [uuidArray(left), tenantId, payload]
    const edited = await this.#inPlaces('edit', ids, values)
    // A claim that found these runs locked has skipped them.
    if (edited.size > 0) this.#options.signals.anything()
    return new Set(edited.keys())
  }

  #send(path: string, values: readonly Value[]) {
    const { database } = this.#options
    return retrying({ clock: database.localClock, deadlineMs: DEADLINE_MS }, () =>
      database.control.pinnedOne(database.statement(path), values),
    )
  }

  /**
   * Searches one place after the other, each with a new snapshot, until every run was found: a
   * single statement would miss a run that moves meanwhile. Returns the runs with their jobs.
   */
  async #inPlaces(
    verb: keyof typeof places,
    ids: readonly string[],
    values: (left: readonly string[]) => Value[],
  ): Promise<ReadonlyMap<string, string | null>> {
    const done = new Map<string, string | null>()
    for (const place of places[verb]) {
      const left = ids.filter((id) => !done.has(id))
      if (left.length === 0) break
      const rows = await this.#send(`runs/steering/${verb}-in-${place}`, values(left))
      for (const [id, jobId] of rows) done.set(id as string, jobId ?? null)
    }
    return done
  }
}
