/** Reads what may stand in the way of a run, for core to tell why it is not running. */
import type { RunConcurrency } from '@punctual/core/flow'
import { explainRun, type Run, type RunExplanation, type RunFacts } from '@punctual/core/run'
import type { Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { RunReader } from './reader.ts'

const LOOKS = 5

/** As JSON tells it: what is a moment comes as a text or as milliseconds. */
type Told<Item, Moment extends keyof Item> = Omit<Item, Moment> &
  Record<Moment, string | number | null>

function list<Item, Moment extends keyof Item>(text: string | null | undefined, moment: Moment) {
  const told = (text ? JSON.parse(text) : []) as Told<Item, Moment>[]
  return told.map((it) => ({ ...it, [moment]: dateOf(it[moment]) })) as unknown as Item[]
}

const dateOf = (value: string | number | null) => (value === null ? null : new Date(value))

export class RunExplainer {
  readonly #database: Database
  readonly #runs: RunReader

  constructor(database: Database, runs: RunReader) {
    this.#database = database
    this.#runs = runs
  }

  /** Null when there is no such run. `tellsFleet`: whether hosts and loads of workers that work for all are told. */
  async explain(id: string, tenantId: number, tellsFleet = true): Promise<RunExplanation | null> {
    for (let look = 1; ; look++) {
      const run = await this.#runs.find(id, tenantId)
      if (!run) return null
      const statement = this.#database.statement('runs/find-obstacles')
      const values = [id, tenantId, run.queue, run.handler, run.job?.id ?? null]
      const [row] = await this.#database.control.query(statement, values)
      const facts = { ...toFacts(run, row as Row), tellsFleet }
      // When it moved between the two looks, what it is now tells more than what it was.
      const isLeased = run.state === 'running' || run.state === 'cancelling'
      if (isLeased === (facts.heldBy !== null) || look === LOOKS) return explainRun(facts)
    }
  }
}

function toFacts(run: Run, row: Row): Omit<RunFacts, 'tellsFleet'> {
  const [pauses, limits, workers, gateHolders, heldBy, jobHeldBy, bookedMs, ...last] = row
  const [ahead, letThrough] = last
  const waits = 'nextAt' in run ? run : null
  const lease = heldBy ? (JSON.parse(heldBy) as { worker: string; lostSince: string | null }) : null
  return {
    ...{ state: run.state, handler: run.handler, queue: run.queue, job: run.job?.name ?? null },
    attempts: run.attempts.length,
    nextAt: waits?.nextAt ?? null,
    finishedAt: 'finishedAt' in run ? run.finishedAt : null,
    rate: run.rate && bookedMs ? { key: run.rate.key, bookedAt: new Date(Number(bookedMs)) } : null,
    gate:
      waits?.waitsFor === 'concurrency'
        ? {
            ...(run.concurrency as RunConcurrency),
            heldBy: JSON.parse(gateHolders ?? '[]'),
            letThrough: JSON.parse(letThrough ?? '[]'),
          }
        : null,
    jobHeldBy: jobHeldBy === run.id ? null : (jobHeldBy ?? null),
    pauses: list<RunFacts['pauses'][number], 'since'>(pauses, 'since'),
    limits: list<RunFacts['limits'][number], 'freeAt'>(limits, 'freeAt'),
    workers: list<RunFacts['workers'][number], 'renewedAt'>(workers, 'renewedAt'),
    heldBy: lease && { worker: lease.worker, lostSince: dateOf(lease.lostSince) },
    ahead: Number(ahead),
  }
}
