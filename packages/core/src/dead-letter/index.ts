export {
  type CompiledDeadLetterFilter,
  compileDeadLetterFilter,
  type DeadLetter,
  type DeadLetterCause,
  type DeadLetterFilter,
  type DeadLetterHandling,
  type DeadLetterState,
  deadLetterStateOf,
  deadLetterStates,
  type Handling,
  handlingOf,
  handlings,
  isEmptyFilter,
} from './dead-letter.ts'
export type {
  DeadLetterDetails,
  DiscardManyResult,
  ReplayManyResult,
  ReplayProgress,
  ReplayResult,
} from './handling-result.ts'
export {
  compileReplayPace,
  nextReplayStep,
  type ReplayPace,
  type ReplayRules,
  type ReplayTally,
  watchesEnds,
} from './replay-pace.ts'
