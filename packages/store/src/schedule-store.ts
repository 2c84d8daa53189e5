/** The stores of jobs, wired once: registering, steering, planning, and the ledger. */
import type { Random } from '@punctual/core/clock'
import { TimingCache } from '@punctual/core/schedule'
import type { AuditLog } from './audit-log/audit-log.ts'
import { CalendarStore } from './calendars/calendar-store.ts'
import type { ClientPool } from './connection/client-pool.ts'
import type { Database } from './connection/database.ts'
import type { Signals } from './connection/signals.ts'
import { JobEdits } from './jobs/edits.ts'
import { JobStore } from './jobs/job-store.ts'
import { JobTransaction } from './jobs/job-transaction.ts'
import { JobPages } from './jobs/pages.ts'
import { PassedDecisions } from './jobs/passed-decisions.ts'
import { JobSteering } from './jobs/steering.ts'
import type { LaneRegistry } from './lanes/registry.ts'
import { PostgresAuditorStore } from './ledger/auditor-store.ts'
import { LedgerProof } from './ledger/proof.ts'
import { SlotReader } from './ledger/slot-reader.ts'
import { PostgresPlanStore } from './plan/plan-store.ts'
import { PlanWriter } from './plan/plan-writer.ts'
import type { Days } from './schema/days.ts'
import type { QuotaKeeper } from './tenants/quota-keeper.ts'
import type { ParkedRuns } from './work/parked-runs.ts'

export interface ScheduleStoreOptions {
  readonly database: Database
  readonly clientPool: ClientPool
  readonly lanes: LaneRegistry
  readonly quotas: QuotaKeeper
  readonly random: Random
  readonly horizonMs: number
  /** The version of the time zone data. @default that of this process */
  readonly zoneData?: string | undefined
  readonly signals: Signals
  readonly days: Days
  readonly parked: ParkedRuns
  readonly auditLog: AuditLog
}

export class ScheduleStore {
  readonly jobs: JobStore
  readonly jobPages: JobPages
  readonly steering: JobSteering
  readonly plan: PostgresPlanStore
  readonly slots: SlotReader
  readonly calendars: CalendarStore
  readonly audit: PostgresAuditorStore
  /** For callers that ask for a proof; the auditor has a separate one. */
  readonly proof: LedgerProof
  readonly timings = new TimingCache()

  constructor(options: ScheduleStoreOptions) {
    const { timings } = this
    const { database, days, random, signals, zoneData } = options
    const shared = {
      ...{ ...options, timings },
      ensurePartitions: async () => void (await days.makeAhead()),
      ensureDaysOf: (instantsMs: readonly number[]) => days.makeOf(instantsMs),
      onQueued: (lanes: Iterable<number>) => signals.due(lanes),
      onChanged: () => signals.jobsChanged(),
    }
    const jobs = new JobTransaction(shared)
    const writer = new PlanWriter(database, random)
    const passed = new PassedDecisions({ jobs, timings, writer })
    const steering = new JobSteering({ ...shared, jobs, passed })
    this.steering = steering
    this.jobs = new JobStore({ ...shared, jobs, edits: new JobEdits({ jobs, timings, passed }) })
    this.jobPages = new JobPages(database)
    const pauseFailing = (jobIds: readonly string[]) => steering.pauseFailing(jobIds)
    this.plan = new PostgresPlanStore({ ...shared, writer, pauseFailing })
    this.slots = new SlotReader(database, timings)
    this.calendars = new CalendarStore(database)
    this.proof = new LedgerProof(database, database.control, timings, zoneData)
    const proof = new LedgerProof(database, database.upkeep, timings, zoneData)
    this.audit = new PostgresAuditorStore({ ...shared, proof })
  }
}
