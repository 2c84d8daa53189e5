/**
 * The evidence for the checker: the definitions of the jobs, the ledgers of the processes, and the
 * final state of the tables, read with plain SQL. Only the flags come through the product, because
 * they are what it reports to its users.
 */
import type { Ledger } from './ledger.ts'
import type { ChaosJob, ChaosPayload } from './workload.ts'

/** A fault as drawn on the timeline. */
export interface Fault {
  readonly kind: string
  readonly target: string
  readonly pid: number | null
  readonly fromMs: number
  untilMs: number | null
  /** Details in words. */
  note: string
}

export interface ObservedRun {
  readonly id: string
  readonly job: string | null
  readonly slotMs: number | null
  readonly dueMs: number
  readonly payload: ChaosPayload
  /** The state of its outcome; null while it is live. */
  readonly state: string | null
  readonly outcomes: number
  readonly fence: string | null
  readonly output: { readonly fence: string | null } | null
  readonly reason: string | null
  readonly finishedMs: number | null
  readonly attempts: readonly ObservedAttempt[]
  /** Rows that its handler committed together with its success. */
  readonly effects: number
  /** The fences of refused outcomes, as the product recorded them. */
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
  /** Effect rows that belong to no run. */
  readonly strayEffects: number
  /** Keys and job holds that belong to ended runs. */
  readonly heldByEnded: number
  readonly flagged: ReadonlySet<string>
  /** Processes of the product that exited by themselves. */
  readonly ownDeaths: readonly string[]
  readonly faults: readonly Fault[]
  /** Wall time minus monotonic time. */
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
  /** In words, with the relevant ids. */
  readonly what: string
}
