/** What people do with runs that exist: cancel them, give them another time. */
import { uuidArray } from './binary-arrays.ts'
import type { Database } from './database.ts'
import type { Signals } from './signals.ts'

const CANCEL_ROUNDS = 3

export interface RunSteeringOptions {
  readonly database: Database
  readonly signals: Signals
  readonly horizonMs: number
  /** The first of the runs that wait for these jobs may start. */
  readonly release: (jobIds: readonly string[]) => Promise<void>
}

export class RunSteering {
  readonly #o: RunSteeringOptions

  constructor(options: RunSteeringOptions) {
    this.#o = options
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
      await this.#o.release(jobs)
      this.#o.signals.jobsChanged()
    }
    return new Set(cancelled.keys())
  }

  /**
   * Cancels runs that have not started, and asks the handlers of those that have to end. Returns what became of
   * each that it found; one that moves between a queue and a worker meanwhile is followed.
   */
  async cancel(
    ids: readonly string[],
    reason: string,
    tenantId = 1,
  ): Promise<ReadonlyMap<string, 'cancelled' | 'cancelling'>> {
    const answers = new Map<string, 'cancelled' | 'cancelling'>()
    const asked: string[] = []
    const left = () => ids.filter((id) => !answers.has(id))
    for (let round = 0; round < CANCEL_ROUNDS && left().length > 0; round++) {
      for (const id of await this.cancelWaiting(left(), reason, tenantId))
        answers.set(id, 'cancelled')
      if (left().length === 0) break
      const rows = await this.#o.database.read.pinnedOne(
        this.#o.database.statement('runs/cancel-in-leases'),
        [uuidArray(left()), tenantId, reason],
      )
      for (const [id, now] of rows) {
        answers.set(id as string, 'cancelling')
        if (now === 't') asked.push(id as string)
      }
    }
    if (asked.length > 0) this.#o.signals.cancel(asked)
    return answers
  }

  /** Gives runs that have not started another time; returns the ids that it moved. */
  async reschedule(
    ids: readonly string[],
    dueMs: number,
    tenantId = 1,
  ): Promise<ReadonlySet<string>> {
    const moved = await this.#inPlaces('reschedule', ids, (left) => [
      uuidArray(left),
      tenantId,
      dueMs,
      this.#o.horizonMs,
    ])
    if (moved.size > 0) this.#o.signals.anything()
    return new Set(moved.keys())
  }

  /**
   * Looks into one place after the other, each with a fresh snapshot, until every run has answered: in one
   * statement a run that moves meanwhile would be found nowhere. Returns the runs, with their jobs.
   */
  async #inPlaces(
    verb: 'cancel' | 'reschedule',
    ids: readonly string[],
    values: (left: readonly string[]) => (Buffer | number | string)[],
  ): Promise<ReadonlyMap<string, string | null>> {
    const done = new Map<string, string | null>()
    // What waits for another run of its job may be cancelled, and has no time that could be changed.
    const places =
      verb === 'cancel'
        ? ['later', 'queue', 'parked', 'later', 'queue']
        : ['later', 'queue', 'later']
    for (const place of places) {
      const left = ids.filter((id) => !done.has(id))
      if (left.length === 0) break
      const rows = await this.#o.database.read.pinnedOne(
        this.#o.database.statement(`runs/${verb}-in-${place}`),
        values(left),
      )
      for (const [id, jobId] of rows) done.set(id as string, jobId ?? null)
    }
    return done
  }
}
