/** Pages and counts of runs. */
import type { RunSummary } from './run.ts'

/** A run as a page shows it. */
export interface RunItem extends RunSummary {
  /** When it was accepted. */
  readonly createdAt: Date
  /** When its last attempt started; null when none did. */
  readonly startedAt: Date | null
  /** The worker that holds it, or held it last; null when unknown. */
  readonly workerId: string | null
  /** The id of its job; null for a submitted run. */
  readonly jobId: string | null
  /** The name of its job; null without one, or when the job was deleted. */
  readonly job: string | null
  /** Its key; null without one. */
  readonly key: string | null
  /** Names and values given at submission. */
  readonly labels: Readonly<Record<string, string>>
  /** The fingerprint of its last failure; null unless it is dead. */
  readonly fingerprint: string | null
  /** The id of the run that replays it; null when it was not replayed. */
  readonly replayedAs: string | null
}

/** A page of runs. */
export interface RunPage {
  /** The runs, in the requested order. */
  readonly runs: readonly RunItem[]
  /** Pass this as `cursor` to get the next page; null on the last page. */
  readonly nextCursor: string | null
  /**
   * False when the page is shorter than the limit because it reached its read limit: the next page
   * continues there. The page may be empty.
   */
  readonly complete: boolean
}

/** A group of a count: runs with one property in common. */
export interface RunGroup {
  /**
   * The common property: a state, the name of a queue, a day such as 2026-11-16. Null for runs
   * without it.
   */
  readonly name: string | null
  /** The number of runs. */
  readonly count: number
  /** For a job: its id, which identifies a deleted job. */
  readonly id?: string
}

/** The number of matching runs. */
export interface RunCount {
  /** The number of runs; a lower bound when `exact` is false. */
  readonly count: number
  /**
   * False when counting stopped at its limit: more runs match, and the groups cover only the
   * counted runs.
   */
  readonly exact: boolean
  /** The count by the requested property, largest group first, up to 1,000 groups. */
  readonly groups: readonly RunGroup[]
}
