/** The part of the library that the run routes use. */
import type {
  CountBy,
  LogLine,
  LogPosition,
  Resolution,
  Run,
  RunCount,
  RunExplanation,
  RunFilter,
  RunPage,
  RunPageFilter,
  RunResolution,
  RunState,
} from '@punctual/core/run'

type TooLate = 'running' | 'already_finished'

/** A live run has the key that the new run needs. */
export interface KeyTaken {
  readonly result: 'key_busy'
  readonly key: string
  readonly heldBy: string | null
}

export interface BulkOptions {
  dryRun?: boolean
  limit?: number
  all?: boolean
}

export interface BulkResult {
  readonly dryRun: boolean
  readonly matched: number
  readonly states: Partial<Record<RunState, number>>
  readonly answers: Readonly<Record<string, number>>
  readonly sample: readonly string[]
  readonly complete: boolean
}

export type ResolveResult =
  | { readonly result: 'resolved'; readonly replayedAs: string | null }
  | KeyTaken
  | {
      readonly result: 'already_resolved'
      readonly resolved: RunResolution
      readonly replayedAs: string | null
    }
  | { readonly result: 'not_unknown'; readonly state: RunState }

export interface RunsPort {
  page(filter: RunPageFilter, page: { limit?: number; cursor?: string }): Promise<RunPage>
  count(filter: RunPageFilter, options: { by?: CountBy }): Promise<RunCount>
  get(id: string): Promise<Run | null>
  logs(
    id: string,
    options: { after?: LogPosition; limit?: number; last?: number },
  ): Promise<LogLine[]>
  /** @throws `PunctualError` with `run_not_found` */
  explain(id: string, options: { fleet: boolean }): Promise<RunExplanation>
  cancel(
    id: string,
    reason?: string,
  ): Promise<{ result: 'cancelled' | 'cancelling' | 'already_finished'; state: RunState }>
  reschedule(id: string, runAt: Date): Promise<'rescheduled' | 'waiting' | TooLate>
  promote(id: string): Promise<'promoted' | 'already_due' | 'waiting' | TooLate>
  reprioritise(id: string, priority: number): Promise<'reprioritised' | TooLate>
  edit(id: string, change: { payload: unknown }): Promise<'edited' | 'attempted' | TooLate>
  resolve(
    id: string,
    as: Resolution,
    options?: { note?: string; by?: string },
  ): Promise<ResolveResult>
  cancelMany(filter: RunFilter, options?: BulkOptions & { reason?: string }): Promise<BulkResult>
  promoteMany(filter: RunFilter, options?: BulkOptions): Promise<BulkResult>
  rescheduleMany(filter: RunFilter, runAt: Date, options?: BulkOptions): Promise<BulkResult>
}
