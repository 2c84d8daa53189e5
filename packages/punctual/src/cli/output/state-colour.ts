/** The colour of each state, the same in all output. */
import type { AttemptOutcome, RunState } from '@punctual/core/run'
import type { Colors } from '../runtime/colours.ts'

type Word = RunState | AttemptOutcome | 'submitted' | 'retry'

const colourOf: Partial<
  Record<Word, keyof Pick<Colors, 'green' | 'red' | 'yellow' | 'cyan' | 'dim'>>
> = {
  succeeded: 'green',
  dead: 'red',
  crashed: 'red',
  unknown: 'red',
  failed: 'yellow',
  timed_out: 'yellow',
  running: 'cyan',
  cancelling: 'yellow',
  awaiting: 'cyan',
  scheduled: 'dim',
  submitted: 'dim',
  cancelled: 'dim',
  terminated: 'dim',
  skipped: 'dim',
}

export function stateColour(colors: Colors, word: Word, text: string = word): string {
  const name = colourOf[word]
  return name ? colors[name](text) : text
}
