/** How the sample tells what happens; the command line decides what that looks like. */
import type { AttemptOutcome, RunState } from '@punctual/core/run'

export interface StoryEvent {
  readonly at: Date
  readonly word: RunState | AttemptOutcome | 'submitted'
  readonly handler: string
  readonly runId: string
  /** Such as `2/3`. */
  readonly attempt?: string
  readonly message: string
}

export interface Narrator {
  event(event: StoryEvent): void
  /** Something that is not about one run; the fields are for programs. */
  say(lines: readonly string[], fields?: object): void
}
