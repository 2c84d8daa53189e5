/** Reads the possible obstacles of a run, from which core explains why it is not running. */
import { invariant } from '@punctual/core/errors'
import {
  explainRun,
  isStarted,
  type Run,
  type RunExplanation,
  type RunFacts,
} from '@punctual/core/run'
import type { Database } from '../connection/database.ts'
import { heldByFrom, limitFrom, pauseFrom, workerFrom } from './obstacles.ts'
import type { RunReader } from './reader.ts'
import { type FindObstaclesRow, findObstacles } from './statements.gen.ts'

const LOOKS = 5

export class RunExplainer {
  readonly #database: Database
  readonly #runs: RunReader

  constructor(database: Database, runs: RunReader) {
    this.#database = database
    this.#runs = runs
  }

  /**
   * Null when the run does not exist. `showsFleet`: whether the answer includes hosts and loads of
   * workers that serve all tenants.
   */
  async explain(id: string, tenantId: number, showsFleet = true): Promise<RunExplanation | null> {
    for (let look = 1; ; look++) {
      const run = await this.#runs.find(id, tenantId)
      if (!run) return null
      const [row] = await this.#database.control.run(
        findObstacles(id, tenantId, run.queue, run.handler, run.job?.id ?? null),
      )
      invariant(row, 'a statement that reads obstacles returns one row')
      const facts = { ...toFacts(run, row), showsFleet }
      // The run moved between the two queries: its present state explains more than the earlier
      // one.
      const isLeased = isStarted(run.state)
      if (isLeased === (facts.heldBy !== null) || look === LOOKS) return explainRun(facts)
    }
  }
}

function toFacts(run: Run, row: FindObstaclesRow): Omit<RunFacts, 'showsFleet'> {
  const waits = 'nextAt' in run ? run : null
  const { gateHolders, heldBy, jobHeldBy, bookedMs } = row
  return {
    ...{ state: run.state, handler: run.handler, queue: run.queue, job: run.job?.name ?? null },
    attempts: run.attempts.length,
    nextAt: waits?.nextAt ?? null,
    finishedAt: 'finishedAt' in run ? run.finishedAt : null,
    rate: run.rate && bookedMs ? { key: run.rate.key, bookedAt: new Date(bookedMs) } : null,
    gate:
      waits?.waitsFor === 'concurrency' && run.concurrency
        ? { ...run.concurrency, heldBy: gateHolders ?? [], admitted: row.admitted ?? [] }
        : null,
    jobHeldBy: jobHeldBy === run.id ? null : jobHeldBy,
    pauses: (row.pauses ?? []).map(pauseFrom),
    limits: (row.limits ?? []).map(limitFrom),
    workers: (row.workers ?? []).map(workerFrom),
    heldBy: heldBy && heldByFrom(heldBy),
    ahead: row.ahead,
  }
}
