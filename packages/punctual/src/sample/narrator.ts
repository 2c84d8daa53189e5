/** The port to which the sample reports its events; the command line decides how they look. */
import type { AttemptOutcome, RunState } from '@punctual/core/run'

export interface StoryEvent {
  readonly at: Date
  readonly word: RunState | AttemptOutcome | 'submitted'
  readonly handler: string
  readonly runId: string
  /** Attempt and maximum, such as `2/3`. */
  readonly attempt?: string
  readonly message: string
}

export interface Narrator {
  event(event: StoryEvent): void
  /** Prints lines that are not about one run; the fields are for JSON output. */
  say(lines: readonly string[], fields?: object): void
}
