/** A complete store in memory on one line, for the comparison with PostgreSQL. */
import type { Clock, Random } from '@punctual/core/clock'
import type { PlannedJob } from '@punctual/core/job'
import { MemoryDeadLetters } from './dead-letters/memory-dead-letters.ts'
import { MemoryJobs } from './jobs/memory-jobs.ts'
import { MemoryAuditStore } from './ledger/memory-audit-store.ts'
import { MemoryPlanStore } from './plan/memory-plan-store.ts'
import { insertSlots } from './plan/plan.ts'
import { MemoryQueues } from './queues/memory-queues.ts'
import { MemoryRunSteering } from './runs/memory-run-steering.ts'
import { MemorySubmitter } from './submit/memory-submitter.ts'
import { type Line, type MemoryStoreOptions, noHints } from './tables/line.ts'
import { MemoryDatabase, type StoreMutant } from './tables/memory-database.ts'
import { MemoryUpkeepStore } from './upkeep/memory-upkeep-store.ts'
import { MemoryWorkStore } from './work/memory-work-store.ts'

export interface MemoryStoreSettings {
  readonly clock: Clock
  readonly random: Random
  readonly horizonMs: number
  /** Returns the id for the run of a slot. */
  readonly nextId: (timeMs: number, jobId: string, slotMs: number) => string
  readonly mutants?: ReadonlySet<StoreMutant>
}

/** What users of the library can do, on one line. */
export class MemoryClient {
  readonly submitter: MemorySubmitter
  readonly runs: MemoryRunSteering
  readonly jobs: MemoryJobs
  readonly deadLetters: MemoryDeadLetters
  readonly queues: MemoryQueues

  constructor(
    options: MemoryStoreOptions,
    work: MemoryWorkStore,
    random: Random,
    nextId?: MemoryStoreSettings['nextId'],
  ) {
    this.submitter = new MemorySubmitter(options, random)
    this.runs = new MemoryRunSteering(options, work)
    this.jobs = new MemoryJobs(options, random, nextId)
    this.deadLetters = new MemoryDeadLetters(options)
    this.queues = new MemoryQueues(options)
  }
}

export class MemoryStore {
  readonly db: MemoryDatabase
  readonly work: MemoryWorkStore
  readonly upkeep: MemoryUpkeepStore
  readonly plan: MemoryPlanStore
  readonly audit: MemoryAuditStore
  readonly client: MemoryClient

  constructor({ clock, random, horizonMs, nextId, mutants }: MemoryStoreSettings) {
    this.db = new MemoryDatabase(() => clock.wallMs(), mutants)
    const line: Line = { call: async (_, work) => this.db.transact(work) }
    const options = { db: this.db, line, clock, horizonMs, hints: noHints }
    this.work = new MemoryWorkStore(options)
    this.upkeep = new MemoryUpkeepStore(options, this.work)
    const record = (plans: readonly PlannedJob[]) => insertSlots(this.db, plans, nextId)
    this.plan = new MemoryPlanStore({ ...options, record, race: false })
    this.audit = new MemoryAuditStore(options, this.work)
    this.client = new MemoryClient(options, this.work, random, nextId)
  }
}
