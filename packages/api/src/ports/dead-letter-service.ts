/** The part of the library that the dead-letter routes use. */
import type {
  DeadLetter,
  DeadLetterCause,
  DeadLetterFilter,
  DeadLetterHandling,
  DeadLetterState,
} from '@punctual/core/dead-letter'
import type { FinishedRun, LogLine } from '@punctual/core/run'
import type { KeyTaken } from './run-service.ts'

export interface RemoteDeadLetterDetails extends DeadLetter {
  readonly run: FinishedRun
  readonly log: readonly LogLine[]
  readonly checkpoint: unknown
}

export type ReplayResult =
  | { readonly result: 'replayed'; readonly id: string }
  | { readonly result: 'already_handled'; readonly handled: DeadLetterHandling }
  | KeyTaken

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
  list(
    options: DeadLetterFilter & { state?: DeadLetterState; limit?: number; after?: string },
  ): Promise<DeadLetter[]>
  causes(
    options: DeadLetterFilter & { state?: DeadLetterState; limit?: number },
  ): Promise<DeadLetterCause[]>
  get(id: string): Promise<RemoteDeadLetterDetails | null>
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
  ): Promise<{
    matching: number
    replayed: number
    alreadyHandled: number
    keyBusy: number
    runIds: readonly string[]
  }>
  discard(
    id: string,
    options: { reason: string; by?: string },
  ): Promise<'discarded' | 'already_handled'>
  discardMany(
    filter: DeadLetterFilter,
    options: ManyOptions & { reason: string; by?: string },
  ): Promise<{ matching: number; discarded: number }>
}
