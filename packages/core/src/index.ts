export {
  type ErrorCode,
  type ErrorDetails,
  errorCatalogue,
  invariant,
  NonRetryableError,
  PunctualError,
  RetryAfterError,
} from './errors.ts'
export {
  type Failure,
  failureFrom,
  fingerprint,
  isNonRetryable,
  retryAfterMs,
  storableText,
} from './failure.ts'
export { checkJsonText } from './json-text.ts'
export { encodeJson } from './json-value.ts'
export type { Lane, LaneKey } from './lane.ts'
export { defaults, limits } from './limits.ts'
export type { Clock, Random } from './ports/clock.ts'
export type { Heartbeat, HeartbeatEvents } from './ports/heartbeat.ts'
export type { ExpiredSessions, ReapResult, UpkeepStore } from './ports/upkeep.ts'
export type {
  ClaimedRun,
  ClaimRequest,
  ClaimResult,
  Fence,
  LogEntry,
  SessionAnnouncement,
  Settlement,
  WorkStore,
} from './ports/work.ts'
export {
  type AfterFailure,
  type Backoff,
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
  FinishedRun,
  LogLine,
  Run,
  RunningRun,
  RunSummary,
  WaitingRun,
} from './run.ts'
export { isRunId, RunIdSource, runIdFloor, runIdTimeFor, runIdTimeMs } from './run-id.ts'
export {
  type AttemptOutcome,
  attemptOutcomeOf,
  attemptOutcomes,
  type FinalState,
  finalStateOf,
  finalStates,
  isFinal,
  type LiveState,
  type RunState,
  runStates,
  traits,
} from './run-state.ts'
export {
  type CompiledOptions,
  checkName,
  checkText,
  compileOptions,
  type Submission,
  type SubmitOptions,
} from './submission.ts'
export { type Place, type Transition, transitions } from './transitions.ts'
