/** The part of the library that the run routes use. */
import type {
  BulkResult,
  CancelAnswer,
  LogLine,
  LogPosition,
  Resolution,
  ResolveResult,
  Run,
  RunCount,
  RunExplanation,
  RunFilter,
  RunPage,
  RunPageFilter,
  TooLate,
} from '@punctual/core/run'

interface BulkOptions {
  dryRun?: boolean
  limit?: number
  all?: boolean
}

export interface RunsPort {
  page(filter: RunPageFilter, page: { limit?: number; cursor?: string }): Promise<RunPage>
  /** Refuses an attribute that it does not know. */
  count(filter: RunPageFilter, options?: { by?: string }): Promise<RunCount>
  get(id: string): Promise<Run | null>
  logs(
    id: string,
    options: { after?: LogPosition; limit?: number; last?: number },
  ): Promise<LogLine[]>
  /** @throws `PunctualError` with `run_not_found` */
  explain(id: string, options: { fleet: boolean }): Promise<RunExplanation>
  cancel(id: string, reason?: string): Promise<CancelAnswer>
  reschedule(id: string, runAt: Date): Promise<'rescheduled' | 'waiting' | TooLate>
  promote(id: string): Promise<'promoted' | 'already_due' | 'waiting' | TooLate>
  reprioritise(id: string, priority: number): Promise<'reprioritised' | TooLate>
  edit(id: string, change: { payload: unknown }): Promise<'edited' | 'attempted' | TooLate>
  resolve(
    id: string,
    as: Resolution,
    options?: { note?: string; by?: string },
  ): Promise<ResolveResult>
  cancelMany(
    filter: RunFilter,
    options?: BulkOptions & { reason?: string },
  ): Promise<BulkResult<'cancelled' | 'cancelling' | 'already_finished'>>
  promoteMany(filter: RunFilter, options?: BulkOptions): Promise<BulkResult<'promoted' | 'missed'>>
  rescheduleMany(
    filter: RunFilter,
    runAt: Date,
    options?: BulkOptions,
  ): Promise<BulkResult<'rescheduled' | 'missed'>>
}
