/**
 * Finds runs by id. Callers of one tenant that ask while others wait for an answer share the next
 * statement, so that many concurrent callers cost little more than one. What a statement loads is
 * bounded in bytes: runs with large payloads are read one after another.
 */
import { limits } from '@punctual/core/errors'
import { type Attempt, isRunId, type Run } from '@punctual/core/run'
import { uuidArray } from '../connection/binary-arrays.ts'
import type { ReadSource } from '../connection/read-source.ts'
import { retrying } from '../connection/retrying.ts'
import { toAttempt, toRun } from './rows.ts'
import { findRuns, type ListAttemptsRow, listAttempts } from './statements.gen.ts'

const DEADLINE_MS = 10_000
/** Runs in one statement. */
const TOGETHER_MAX = 500
/** Statements of one tenant in progress at once: one is answered while the next is sent. */
const AT_ONCE = 2

interface Waiting {
  readonly id: string
  resolve(run: Run | null): void
  reject(error: unknown): void
}

/** The callers whose reads may share a statement: those of one tenant and row security. */
interface Callers {
  readonly name: string
  readonly tenantId: number | null
  waiting: Waiting[]
  inProgress: number
}

export class RunFinder {
  readonly #source: ReadSource
  readonly #bytes: number
  readonly #callers = new Map<string, Callers>()

  /** `bytes`: what one statement loads at most of payloads, outputs and errors, and one run more. */
  constructor(source: ReadSource, bytes: number = limits.pageBytes) {
    this.#source = source
    this.#bytes = bytes
  }

  /**
   * Retries a broken connection for ten seconds; an unreachable server is a coded error. A caller in
   * a transaction reads in it, alone.
   */
  async find(id: string, tenantId: number | null): Promise<Run | null> {
    if (!isRunId(id)) return null
    const { ambient } = this.#source
    const runId = id.toLowerCase()
    if (ambient.transaction) return (await this.#read([runId], tenantId)).get(runId) ?? null
    const name = `${tenantId} ${ambient.rowSecurity}`
    const callers = this.#callers.get(name) ?? { name, tenantId, waiting: [], inProgress: 0 }
    this.#callers.set(name, callers)
    return new Promise((resolve, reject) => {
      callers.waiting.push({ id: runId, resolve, reject })
      // Requests that arrived together ask together.
      if (callers.waiting.length === 1) setImmediate(() => this.#begin(callers))
    })
  }

  #begin(callers: Callers): void {
    if (callers.inProgress >= AT_ONCE || callers.waiting.length === 0) return
    const batch = callers.waiting.splice(0, TOGETHER_MAX)
    callers.inProgress++
    void this.#answer(batch, callers.tenantId).finally(() => {
      callers.inProgress--
      if (callers.inProgress === 0 && callers.waiting.length === 0)
        this.#callers.delete(callers.name)
      this.#begin(callers)
    })
    this.#begin(callers)
  }

  async #answer(batch: readonly Waiting[], tenantId: number | null): Promise<void> {
    try {
      const ids = [...new Set(batch.map(({ id }) => id))]
      const found = await this.#read(ids, tenantId)
      for (const { id, resolve } of batch) resolve(found.get(id) ?? null)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  /** Reads the runs in as many parts as their bytes require, usually one. */
  async #read(ids: readonly string[], tenantId: number | null): Promise<ReadonlyMap<string, Run>> {
    const found = new Map<string, Run>()
    // Each part has the first run that is left, if it exists.
    for (let left: readonly string[] = [...ids].sort(); left.length > 0; ) {
      const { rows, attempts, isCut } = await this.#readPart(left, tenantId)
      for (const row of rows)
        if (!isCut.has(row.id)) found.set(row.id, toRun(row, attempts.get(row.id) ?? []))
      const last = rows.at(-1)?.id
      const isRead = new Set(rows.map(({ id }) => id))
      left = left.filter((id) => (isRead.has(id) ? isCut.has(id) : last !== undefined && id > last))
    }
    return found
  }

  async #readPart(ids: readonly string[], tenantId: number | null) {
    const { reads, localClock: clock } = this.#source
    const [all, first, last] = [uuidArray(ids), ids[0] ?? null, ids.at(-1) ?? null]
    const [rows, attempts] = await retrying({ clock, deadlineMs: DEADLINE_MS }, () =>
      reads.runTogether(
        findRuns(all, first, last, tenantId, this.#bytes),
        listAttempts(all, first, last, this.#bytes),
      ),
    )
    const isCut = new Set(attempts.filter(({ cut }) => cut).map(({ runId }) => runId))
    return { rows, attempts: attemptsByRun(attempts), isCut }
  }
}

function attemptsByRun(rows: readonly ListAttemptsRow[]): ReadonlyMap<string, Attempt[]> {
  const found = new Map<string, Attempt[]>()
  for (const row of rows) {
    const attempts = found.get(row.runId)
    if (attempts) attempts.push(toAttempt(row))
    else found.set(row.runId, [toAttempt(row)])
  }
  return found
}
