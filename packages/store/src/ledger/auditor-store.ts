/** The auditor's access to PostgreSQL. A repair applies only if what it saw is unchanged. */
import type { AuditedJob } from '@punctual/core/job'
import type {
  AuditorStore,
  AuditPage,
  QueuePage,
  SlotCheck,
  SlotSample,
} from '@punctual/core/ports'
import { int4Array, int8ArrayOfNumbers, uuidArray } from '../connection/binary-arrays.ts'
import type { Row, Value } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { LedgerProof } from './proof.ts'

export interface AuditStoreOptions {
  readonly database: Database
  readonly proof: LedgerProof
  /** Jobs were started again: planners read them at once. */
  readonly onChanged: () => void
  /** Releases the first of the runs that wait for these jobs. */
  readonly release: (jobIds: readonly string[]) => Promise<void>
  readonly resolveParked: (runIds: readonly string[]) => Promise<void>
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

export class PostgresAuditorStore implements AuditorStore {
  readonly #options: AuditStoreOptions

  constructor(options: AuditStoreOptions) {
    this.#options = options
  }

  #run(path: string, values: readonly Value[]): Promise<Row[]> {
    const { database } = this.#options
    return database.upkeep.pinnedOne(database.statement(path), values)
  }

  auditPage(after: string | null, limit: number): Promise<AuditPage> {
    return this.#options.proof.page(after, limit)
  }

  checkSlots(samples: readonly SlotSample[], runs: boolean): Promise<readonly SlotCheck[]> {
    return this.#options.proof.check(samples, runs)
  }

  straySlots(fromMs: number, untilMs: number, limit: number) {
    return this.#options.proof.strays({ fromMs, untilMs, jobId: null }, limit)
  }

  async repairCursor(job: AuditedJob, nextMs: number): Promise<boolean> {
    const values = [job.id, job.version, job.nextMs, job.cursorMs, nextMs]
    const rows = await this.#run('ledger/repair-cursor', values)
    if (rows.length > 0) this.#options.onChanged()
    return rows.length > 0
  }

  async rearm(jobs: readonly AuditedJob[]): Promise<readonly string[]> {
    if (jobs.length === 0) return []
    const sorted = [...jobs].sort((a, b) => (a.id < b.id ? -1 : 1))
    const rows = await this.#run('ledger/rearm-jobs', [
      uuidArray(sorted.map(({ id }) => id)),
      int4Array(sorted.map(({ version }) => version)),
      int8ArrayOfNumbers(sorted.map(({ cursorMs }) => cursorMs)),
    ])
    if (rows.length > 0) this.#options.onChanged()
    return rows.map(([id]) => id as string)
  }

  async removeCursors(jobIds: readonly string[]): Promise<readonly string[]> {
    if (jobIds.length === 0) return []
    const rows = await this.#run('ledger/delete-cursors', [uuidArray(jobIds)])
    return rows.map(([id]) => id as string)
  }

  async freeHolds(after: string | null, limit: number): Promise<QueuePage> {
    const page = toPage(await this.#run('ledger/free-holds', [after ?? FIRST_ID, limit]), limit)
    if (page.runs.length > 0) await this.#options.release(page.runs.map(({ jobId }) => jobId))
    return page
  }

  async freeParked(olderThanMs: number): Promise<QueuePage['runs']> {
    const rows = await this.#run('ledger/list-free-parked', [olderThanMs])
    return rows.map(([jobId, runId]) => ({ jobId: jobId as string, runId: runId as string }))
  }

  resolveParked(runIds: readonly string[]): Promise<void> {
    return this.#options.resolveParked(runIds)
  }

  async unplannedRuns(after: string | null, limit: number): Promise<QueuePage> {
    return toPage(await this.#run('ledger/list-unplanned', [after ?? FIRST_ID, limit]), limit)
  }
}

/** The last id examined, how many were, and the jobs and runs that were found. */
function toPage([row]: readonly Row[], limit: number): QueuePage {
  const [last, looked, jobIds, runIds] = row ?? []
  const list = (array: string | null | undefined) => array?.slice(1, -1).split(',') ?? []
  const runs = list(runIds)
  return {
    next: Number(looked) < limit ? null : (last ?? null),
    runs: list(jobIds).map((jobId, i) => ({ jobId, runId: runs[i] as string })),
  }
}
