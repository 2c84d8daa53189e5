/** The stores of jobs, wired once: registering, steering, planning, and the ledger. */
import type { Random } from '@punctual/core/clock'
import { TimingCache } from '@punctual/core/schedule'
import type { AuditLog } from './audit-log/audit-log.ts'
import { CalendarStore } from './calendars/calendar-store.ts'
import type { ClientPool } from './connection/client-pool.ts'
import type { Database } from './connection/database.ts'
import { dayStart } from './connection/day-names.ts'
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
import { ensureDay } from './schema/partitions.ts'
import type { QuotaKeeper } from './tenants/quota-keeper.ts'

export interface ScheduleStoreOptions {
  readonly database: Database
  readonly clientPool: ClientPool
  readonly lanes: LaneRegistry
  readonly quotas: QuotaKeeper
  readonly random: Random
  readonly horizonMs: number
  /** The version of the time zone data. @default that of this process */
  readonly zoneData?: string
  readonly ensurePartitions: () => Promise<void>
  readonly onQueued: (lanes: Iterable<number>) => void
  readonly onChanged: () => void
  readonly release: (jobIds: readonly string[]) => Promise<void>
  readonly resolveParked: (runIds: readonly string[]) => Promise<void>
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
    const { database, clientPool, timings } = { ...options, timings: this.timings }
    const ensureDaysOf = async (instantsMs: readonly number[]) => {
      const days = new Set(instantsMs.map(dayStart))
      // A separate connection, also inside a caller's transaction: attaching a day must not wait
      // for a transaction that writes.
      await clientPool.with(async (client) => {
        for (const day of days)
          await ensureDay(client, database.schema, day, (ms) => database.localClock.sleep(ms))
      })
    }
    const jobs = new JobTransaction({ ...options, timings, ensureDaysOf })
    this.plan = new PostgresPlanStore({
      ...options,
      ensureDaysOf,
      pauseFailing: (jobIds) => this.steering.pauseFailing(jobIds),
    })
    const passed = new PassedDecisions({ jobs, timings, plan: this.plan })
    this.steering = new JobSteering({ ...options, jobs, timings, passed })
    const edits = new JobEdits({ jobs, timings, passed })
    this.jobs = new JobStore({ ...options, jobs, edits, timings })
    this.jobPages = new JobPages(database)
    this.slots = new SlotReader(database, timings)
    this.calendars = new CalendarStore(database)
    this.proof = new LedgerProof(database, database.control, timings, options.zoneData)
    const proof = new LedgerProof(database, database.upkeep, timings, options.zoneData)
    this.audit = new PostgresAuditorStore({ ...options, proof })
  }
}
