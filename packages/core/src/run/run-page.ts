/** Pages and counts of runs, as people see them. */
import type { RunSummary } from './run.ts'

/** A run as a page shows it. */
export interface RunItem extends RunSummary {
  /** When it was accepted. */
  readonly createdAt: Date
  /** When its last attempt started; null when none did. */
  readonly startedAt: Date | null
  /** The worker that has it, or had it last; null when it is not known. */
  readonly workerId: string | null
  /** The id of its job; null for a run that was submitted. */
  readonly jobId: string | null
  /** The name of its job; null without one, or when that was deleted. */
  readonly job: string | null
  /** Its key; null without one. */
  readonly key: string | null
  /** Names and values that were given with it. */
  readonly labels: Readonly<Record<string, string>>
  /** What it died of; null unless it is dead. */
  readonly fingerprint: string | null
  /** The run that does this one again. */
  readonly replayedAs: string | null
}

/** A page of runs. */
export interface RunPage {
  /** The runs, in the order that was asked for. */
  readonly runs: readonly RunItem[]
  /** Give this as `cursor` to get the next page; null when there is none. */
  readonly nextCursor: string | null
  /**
   * False when the page has fewer runs than were asked for because enough was looked at: the next page goes on from
   * there. It may be empty.
   */
  readonly complete: boolean
}

/** How many runs are alike. */
export interface RunGroup {
  /** What they have in common: a state, the name of a queue, a day such as 2026-11-16. Null when they have none. */
  readonly name: string | null
  /** How many there are. */
  readonly count: number
  /** Of a job: its id, by which it is known when it was deleted. */
  readonly id?: string
}

/** How many runs match. */
export interface RunCount {
  /** How many there are; at least so many where it is not exact. */
  readonly count: number
  /** False when counting was ended: there are more, and the groups are those of the runs that were counted. */
  readonly exact: boolean
  /** The same by what was asked for, the largest first, up to 1,000. */
  readonly groups: readonly RunGroup[]
}
