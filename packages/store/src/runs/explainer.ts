/** Reads the possible obstacles of a run, from which core explains why it is not running. */
import type { RunConcurrency } from '@punctual/core/flow'
import { explainRun, type Run, type RunExplanation, type RunFacts } from '@punctual/core/run'
import type { Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { RunReader } from './reader.ts'

const LOOKS = 5

/** An item as JSON: its instant is a string or milliseconds. */
type Encoded<Item, Instant extends keyof Item> = Omit<Item, Instant> &
  Record<Instant, string | number | null>

function list<Item, Instant extends keyof Item>(text: string | null | undefined, instant: Instant) {
  const items = (text ? JSON.parse(text) : []) as Encoded<Item, Instant>[]
  return items.map((item) => ({ ...item, [instant]: dateOf(item[instant]) })) as unknown as Item[]
}

const dateOf = (value: string | number | null) => (value === null ? null : new Date(value))

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
      const statement = this.#database.statement('runs/find-obstacles')
      const values = [id, tenantId, run.queue, run.handler, run.job?.id ?? null]
      const [row] = await this.#database.control.query(statement, values)
      const facts = { ...toFacts(run, row as Row), showsFleet }
      // The run moved between the two queries: its present state explains more than the earlier
      // one.
      const isLeased = run.state === 'running' || run.state === 'cancelling'
      if (isLeased === (facts.heldBy !== null) || look === LOOKS) return explainRun(facts)
    }
  }
}

function toFacts(run: Run, row: Row): Omit<RunFacts, 'showsFleet'> {
  const [pauses, limits, workers, gateHolders, heldBy, jobHeldBy, bookedMs, ...last] = row
  const [ahead, admitted] = last
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
            admitted: JSON.parse(admitted ?? '[]'),
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
