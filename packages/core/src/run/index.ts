export {
  type AdmittedRun,
  explainRun,
  type RunExplanation,
  type RunFacts,
  type RunObstacle,
  type WorkerInReach,
} from './explain-run.ts'
export {
  callbackPayload,
  type Group,
  type GroupCounts,
  type GroupDone,
  type GroupMember,
  type GroupResult,
  type GroupSummary,
} from './group.ts'
export { type AfterInterruption, decideAfterInterruption } from './interruption.ts'
export { type Resolution, resolutionNames, resolutions } from './resolution.ts'
export {
  type AfterFailure,
  type Backoff,
  type BackoffInput,
  backoffMs,
  compileRetryPolicy,
  decideAfterFailure,
  defaultRetryPolicy,
  type FailedAttempt,
  type RetryPolicy,
  type RetryPolicyInput,
} from './retry.ts'
export type {
  Attempt,
  AwaitingRun,
  FinishedRun,
  JobOfRun,
  LogLine,
  LogPosition,
  Run,
  RunDefinition,
  RunningRun,
  RunResolution,
  RunSummary,
  WaitingRun,
} from './run.ts'
export type { RunEnd } from './run-end.ts'
export {
  type BulkVerb,
  type CompiledRunFilter,
  compileBulkFilter,
  compileRunFilter,
  type RunFilter,
  steerableStates,
  type TimeRange,
} from './run-filter.ts'
export { isRunId, RunIdSource, runIdFloor, runIdTimeFor, runIdTimeMs } from './run-id.ts'
export type { RunCount, RunGroup, RunItem, RunPage } from './run-page.ts'
export {
  type CompiledCountBy,
  type CompiledRunPageFilter,
  type CountBy,
  compileCountBy,
  compileRunPageFilter,
  onlyFailed,
  orderOf,
  type RunOrder,
  type RunPageFilter,
} from './run-page-filter.ts'
export {
  type Delivery,
  decodeRunPolicy,
  deliveries,
  deliveryFrom,
  policyOptions,
  type RunPolicy,
  retryIn,
  targetFrom,
} from './run-policy.ts'
export {
  type AttemptOutcome,
  attemptOutcomeOf,
  attemptOutcomes,
  type FinalState,
  finalStateOf,
  finalStates,
  isFinal,
  isStarted,
  type LiveState,
  type RunState,
  runStates,
  traits,
} from './run-state.ts'
export type {
  BulkResult,
  CancelAnswer,
  KeyBusy,
  ResolveResult,
  TooLate,
} from './steering-result.ts'
export { type Place, type Transition, transitions } from './transitions.ts'
