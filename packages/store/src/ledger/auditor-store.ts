/** The auditor's access to PostgreSQL. A repair applies only if what it saw is unchanged. */
import { invariant } from '@punctual/core/errors'
import type { AuditedJob } from '@punctual/core/job'
import type {
  AuditorStore,
  AuditPage,
  QueuePage,
  SlotCheck,
  SlotSample,
} from '@punctual/core/ports'
import { int4Array, int8ArrayOfNumbers, uuidArray } from '../connection/binary-arrays.ts'
import type { Channel } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { ParkedRuns } from '../work/parked-runs.ts'
import type { LedgerProof } from './proof.ts'
import {
  deleteCursors,
  type FreeHoldsRow,
  freeHolds,
  type ListUnplannedRow,
  listFreeParked,
  listUnplanned,
  rearmJobs,
  repairCursor,
} from './statements.gen.ts'

export interface AuditStoreOptions {
  readonly database: Database
  readonly proof: LedgerProof
  /** Jobs were started again: planners read them at once. */
  readonly onChanged: () => void
  readonly parked: ParkedRuns
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

export class PostgresAuditorStore implements AuditorStore {
  readonly #options: AuditStoreOptions

  constructor(options: AuditStoreOptions) {
    this.#options = options
  }

  get #channel(): Channel {
    return this.#options.database.upkeep
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
    const { id, version, cursorMs } = job
    const rows = await this.#channel.runPinned(
      repairCursor(id, version, job.nextMs, cursorMs, nextMs),
    )
    if (rows.length > 0) this.#options.onChanged()
    return rows.length > 0
  }

  async rearm(jobs: readonly AuditedJob[]): Promise<readonly string[]> {
    if (jobs.length === 0) return []
    const sorted = [...jobs].sort((a, b) => (a.id < b.id ? -1 : 1))
    const call = rearmJobs(
      uuidArray(sorted.map(({ id }) => id)),
      int4Array(sorted.map(({ version }) => version)),
      int8ArrayOfNumbers(sorted.map(({ cursorMs }) => cursorMs)),
    )
    const rows = await this.#channel.runPinned(call)
    if (rows.length > 0) this.#options.onChanged()
    return rows.map(({ jobId }) => jobId)
  }

  async removeCursors(jobIds: readonly string[]): Promise<readonly string[]> {
    if (jobIds.length === 0) return []
    const rows = await this.#channel.runPinned(deleteCursors(uuidArray(jobIds)))
    return rows.map(({ jobId }) => jobId)
  }

  async freeHolds(after: string | null, limit: number): Promise<QueuePage> {
    const [row] = await this.#channel.runPinned(freeHolds(after ?? FIRST_ID, limit))
    const page = toPage(row, limit)
    if (page.runs.length > 0)
      await this.#options.parked.release(page.runs.map(({ jobId }) => jobId))
    return page
  }

  freeParked(olderThanMs: number): Promise<QueuePage['runs']> {
    return this.#channel.runPinned(listFreeParked(olderThanMs))
  }

  resolveParked(runIds: readonly string[]): Promise<void> {
    return this.#options.parked.resolve(runIds)
  }

  async unplannedRuns(after: string | null, limit: number): Promise<QueuePage> {
    const [row] = await this.#channel.runPinned(listUnplanned(after ?? FIRST_ID, limit))
    return toPage(row, limit)
  }
}

function toPage(row: FreeHoldsRow | ListUnplannedRow | undefined, limit: number): QueuePage {
  invariant(row, 'a page is one row')
  const { lastId, looked, jobIds, runIds } = row
  return {
    next: looked < limit ? null : lastId,
    runs: (jobIds ?? []).flatMap((jobId, i) => {
      const runId = runIds?.[i]
      return runId === undefined ? [] : [{ jobId, runId }]
    }),
  }
}
