export {
  type CompiledLetterFilter,
  compileLetterFilter,
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterGroup,
  type Handling,
  handlingOf,
  handlings,
  isEmptyFilter,
  type LetterHandling,
  type LetterState,
  letterStateOf,
  letterStates,
} from './dead-letter.ts'
export {
  compileReplayPace,
  nextReplayStep,
  type ReplayPace,
  type ReplayRules,
  type ReplayTally,
  watchesEnds,
} from './replay-pace.ts'
