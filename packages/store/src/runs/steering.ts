/** Actions on existing runs: cancel, reschedule, reprioritise, edit the payload. */

import { int4Array, uuidArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { retrying } from '../connection/retrying.ts'
import type { Signals } from '../connection/signals.ts'
import type { LaneRegistry } from '../lanes/registry.ts'
import type { Call } from '../sql/typed.ts'
import type { QuotaKeeper } from '../tenants/quota-keeper.ts'
import type { ParkedRuns } from '../work/parked-runs.ts'
import {
  cancelAwaiting,
  cancelInLater,
  cancelInLeases,
  cancelInParked,
  cancelInQueue,
  editInLater,
  editInParked,
  editInQueue,
  listRunLanes,
  reprioritiseInLater,
  reprioritiseInParked,
  reprioritiseInQueue,
  rescheduleInLater,
  rescheduleInQueue,
} from './statements.gen.ts'

type UuidList = ReturnType<typeof uuidArray>

/** A run that was changed in one place, and its job if the statement returns it. */
interface Found {
  readonly runId: string
  readonly jobId?: string | null
}

const ROUNDS = 3
const DEADLINE_MS = 10_000

export interface RunSteeringOptions {
  readonly database: Database
  readonly signals: Signals
  readonly lanes: LaneRegistry
  readonly horizonMs: number
  readonly parked: ParkedRuns
  readonly quotas: QuotaKeeper
}

/** The places that each action searches, ending with those that a run may have moved to. */
const cancelling = inOrder(cancelInLater, cancelInQueue, cancelInParked)
/** A run that waits for another run of its job has no due time to change. */
const rescheduling = [rescheduleInLater, rescheduleInQueue, rescheduleInLater]
const reprioritising = inOrder(reprioritiseInLater, reprioritiseInQueue, reprioritiseInParked)
const editing = inOrder(editInLater, editInQueue, editInParked)

function inOrder<T>(later: T, queue: T, parked: T): readonly T[] {
  return [later, queue, parked, later, queue]
}

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
    const cancelled = await this.#inPlaces(cancelling, ids, (cancel, left) =>
      cancel(0, left, tenantId, reason),
    )
    const jobs = [...new Set(cancelled.values())].filter((job) => job !== null)
    if (jobs.length > 0) {
      await this.#options.parked.release(jobs)
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
      for (const id of await this.#cancelAwaiting(left(), reason, tenantId))
        answers.set(id, 'cancelled')
      if (left().length === 0) break
      const call = cancelInLeases(uuidArray(left()), tenantId, reason)
      for (const { runId, now } of await this.#send(call)) {
        answers.set(runId, 'cancelling')
        if (now) signalled.push(runId)
      }
    }
    if (signalled.length > 0) this.#options.signals.cancel(signalled)
    return answers
  }

  /** Ends runs that await their targets: no worker would read a request to end them. */
  async #cancelAwaiting(
    ids: readonly string[],
    reason: string,
    tenantId: number,
  ): Promise<readonly string[]> {
    const { parked, signals } = this.#options
    const ended = await this.#send(cancelAwaiting(0, uuidArray(ids), tenantId, reason))
    if (ended.length === 0) return []
    await parked.release(ended.flatMap(({ jobId }) => jobId ?? []))
    await parked.releaseGates(ended.flatMap(({ gate }) => gate ?? []))
    signals.jobsChanged()
    // Runs may wait for places under the limits of a queue or a tenant.
    signals.anything()
    return ended.map(({ runId }) => runId)
  }

  /** Moves runs that have not started to another time, null for now; returns the moved ids. */
  async reschedule(
    ids: readonly string[],
    dueMs: number | null,
    tenantId = 1,
  ): Promise<ReadonlySet<string>> {
    const { horizonMs, signals } = this.#options
    const moved = await this.#inPlaces(rescheduling, ids, (reschedule, left) =>
      reschedule(left, tenantId, dueMs, horizonMs),
    )
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
      const moved = await this.#inPlaces(reprioritising, left, (reprioritise, some) =>
        reprioritise(some, tenantId, from, to),
      )
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
    for (const row of await this.#send(listRunLanes(uuidArray(ids), tenantId))) {
      const { runId, lane, queue, handler } = row
      if (row.priority === priority) done.add(runId)
      else if (!moves.has(lane))
        moves.set(lane, await this.#options.lanes.intern({ tenantId, queue, handler, priority }))
    }
    return moves
  }

  /**
   * Replaces the payload of runs that were never tried; returns the ids that have it now.
   * @throws `quota_exceeded`
   */
  async edit(ids: readonly string[], payload: string, tenantId = 1): Promise<ReadonlySet<string>> {
    await this.#options.quotas.checkPayload(tenantId, payload)
    const edited = await this.#inPlaces(editing, ids, (edit, left) => edit(left, tenantId, payload))
    // A claim that found these runs locked has skipped them.
    if (edited.size > 0) this.#options.signals.anything()
    return new Set(edited.keys())
  }

  #send<Row>(call: Call<Row>): Promise<Row[]> {
    const { database } = this.#options
    return retrying({ clock: database.localClock, deadlineMs: DEADLINE_MS }, () =>
      database.control.runPinned(call),
    )
  }

  /**
   * Searches one place after the other, each with a new snapshot, until every run was found: a
   * single statement would miss a run that moves meanwhile. Returns the runs with their jobs.
   */
  async #inPlaces<Place>(
    places: readonly Place[],
    ids: readonly string[],
    call: (place: Place, left: UuidList) => Call<Found>,
  ): Promise<ReadonlyMap<string, string | null>> {
    const done = new Map<string, string | null>()
    for (const place of places) {
      const left = ids.filter((id) => !done.has(id))
      if (left.length === 0) break
      const rows = await this.#send(call(place, uuidArray(left)))
      for (const { runId, jobId = null } of rows) done.set(runId, jobId)
    }
    return done
  }
}
