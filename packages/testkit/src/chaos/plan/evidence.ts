/**
 * What the checker judges by: the definitions of the jobs, the ledgers of the processes, and the
 * tables as they are in the end, read with plain SQL. Nothing here goes through the product but the
 * flags, which are what the product tells its users.
 */
import type { Ledger } from './ledger.ts'
import type { ChaosJob, ChaosPayload } from './workload.ts'

/** A fault as the timeline shows it. */
export interface Fault {
  readonly kind: string
  readonly target: string
  readonly pid: number | null
  readonly fromMs: number
  untilMs: number | null
  /** What else there is to say. */
  note: string
}

export interface ObservedRun {
  readonly id: string
  readonly job: string | null
  readonly slotMs: number | null
  readonly dueMs: number
  readonly payload: ChaosPayload
  /** As the outcomes have it; null while it is live. */
  readonly state: string | null
  readonly outcomes: number
  readonly fence: string | null
  readonly output: { readonly fence: string | null } | null
  readonly reason: string | null
  readonly finishedMs: number | null
  readonly attempts: readonly ObservedAttempt[]
  /** Rows that its handler has committed together with its success. */
  readonly effects: number
  /** Fences whose outcomes were refused, as the product recorded it. */
  readonly refused: readonly string[]
}

export interface ObservedAttempt {
  readonly fence: string | null
  readonly outcome: string
}

export interface ObservedSlot {
  readonly job: string
  readonly slotMs: number
  readonly run: string | null
  readonly slots: number
}

export interface Evidence {
  readonly jobs: readonly ChaosJob[]
  readonly ledger: Ledger
  readonly runs: readonly ObservedRun[]
  readonly slots: readonly ObservedSlot[]
  /** Rows of effects that belong to no run. */
  readonly strayEffects: number
  /** Keys and holds of jobs that belong to runs which have ended. */
  readonly heldByEnded: number
  readonly flagged: ReadonlySet<string>
  /** Processes of the product that ended by themselves. */
  readonly ownDeaths: readonly string[]
  readonly faults: readonly Fault[]
  /** Wall time is monotonic time plus this. */
  readonly wallOffsetMs: number
  /** From the first slot to the end of the jobs, in monotonic time. */
  readonly fromMs: number
  readonly untilMs: number
}

export const violationKinds = [
  'missing',
  'duplicateAccepted',
  'staleAccepted',
  'unflaggedDuplicates',
  'wronglyFlagged',
  'orphans',
  'overcrowded',
  'early',
  'died',
  'slow',
  'spared',
] as const

export type ViolationKind = (typeof violationKinds)[number]

export interface Violation {
  readonly kind: ViolationKind
  /** In words, with the ids that lead to it. */
  readonly what: string
}
