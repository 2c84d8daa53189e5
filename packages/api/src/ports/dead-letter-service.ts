/** The part of the library that the dead-letter routes use. */
import type {
  DeadLetter,
  DeadLetterCause,
  DeadLetterDetails,
  DeadLetterFilter,
  DeadLetterState,
  DiscardManyResult,
  ReplayManyResult,
  ReplayResult,
} from '@punctual/core/dead-letter'

interface HandlingOptions {
  note?: string
  by?: string
}

interface ManyOptions {
  all?: boolean
  limit?: number
  dryRun?: boolean
}

export interface DeadLettersPort {
  /** As many as a response may carry, and the id to continue after; null after the last page. */
  page(
    options: DeadLetterFilter & { state?: DeadLetterState; limit?: number; after?: string },
  ): Promise<{ readonly deadLetters: readonly DeadLetter[]; readonly next: string | null }>
  causes(
    options: DeadLetterFilter & { state?: DeadLetterState; limit?: number },
  ): Promise<DeadLetterCause[]>
  get(id: string): Promise<DeadLetterDetails | null>
  replay(
    id: string,
    options: HandlingOptions & { payload?: unknown; fromCheckpoint?: boolean },
  ): Promise<ReplayResult>
  /**
   * Replays these in batches and answers in their order. Ids that are not dead letters are left
   * out.
   */
  replayEach(
    ids: readonly string[],
    options: HandlingOptions & { fromCheckpoint?: boolean },
  ): Promise<readonly ReplayResult[]>
  replayMany(
    filter: DeadLetterFilter,
    options: ManyOptions & HandlingOptions & { fromCheckpoint?: boolean; perSecond?: number },
  ): Promise<ReplayManyResult>
  discard(
    id: string,
    options: { reason: string; by?: string },
  ): Promise<'discarded' | 'already_handled'>
  discardMany(
    filter: DeadLetterFilter,
    options: ManyOptions & { reason: string; by?: string },
  ): Promise<DiscardManyResult>
}
