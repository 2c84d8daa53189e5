/**
 * Lets runs start that wait for another run of their job, or for a place of their concurrency key.
 * Everything that may free what they wait for calls this after its commit.
 */
import { int8Array, uuidArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { isDataFault } from '../connection/faults.ts'
import type { Signals } from '../connection/signals.ts'
import type { Call } from '../sql/typed.ts'
import {
  listParked,
  releaseGates,
  releaseParked,
  skipParked,
  supersedeHolders,
} from './statements.gen.ts'

export class ParkedRuns {
  readonly #database: Database
  readonly #signals: Signals

  constructor(database: Database, signals: Signals) {
    this.#database = database
    this.#signals = signals
    // If this fails, the reaper releases the gates.
    signals.onHint(({ gates = [] }) => void this.releaseGates(gates).catch(() => undefined))
  }

  /**
   * Each run was parked by a claim that has committed. So the session that ended the holder since
   * then either saw the parked run or has freed the job by now: because both sides look again after
   * their commit, no run is left behind.
   *
   * When PostgreSQL refuses a value, the runs are halved until the culprit is alone: it stays
   * parked and is reported, and the others are released.
   */
  async resolve(runIds: readonly string[]): Promise<void> {
    try {
      await this.#resolveTogether(runIds)
    } catch (error) {
      if (!isDataFault(error)) throw error
      if (runIds.length < 2) return this.#database.fault('resolve parked', error)
      const half = Math.ceil(runIds.length / 2)
      await this.resolve(runIds.slice(0, half))
      await this.resolve(runIds.slice(half))
    }
  }

  async #resolveTogether(runIds: readonly string[]): Promise<void> {
    const ids = uuidArray(runIds)
    const { settle } = this.#database
    const superseded = await settle.runPinned(supersedeHolders(0, ids))
    if (superseded.length > 0) this.#signals.cancel(superseded.map(({ runId }) => runId))
    const awaited = await settle.runPinned(listParked(ids))
    await this.release(awaited.flatMap(({ jobId }) => jobId ?? []))
    await this.releaseGates(awaited.flatMap(({ gate }) => gate ?? []))
    await settle.runPinned(skipParked(0, ids))
  }

  /** Lets the first run that waits for each of these jobs start, unless the job is held. */
  async release(jobIds: readonly string[]): Promise<void> {
    if (jobIds.length > 0) await this.#admit(releaseParked(uuidArray(jobIds)))
  }

  /** Lets the first runs that wait for each of these gates start, as many as it has places for. */
  async releaseGates(gates: readonly bigint[]): Promise<void> {
    if (gates.length > 0) await this.#admit(releaseGates(int8Array([...new Set(gates)])))
  }

  async #admit(call: Call<{ readonly lane: number }>): Promise<void> {
    const rows = await this.#database.settle.runPinned(call)
    if (rows.length > 0) this.#signals.due(new Set(rows.map(({ lane }) => lane)))
  }
}
