export {
  type Attempt,
  type AttemptOutcome,
  type ErrorCode,
  type Failure,
  type FinishedRun,
  type LogLine,
  type LogPosition,
  NonRetryableError,
  PunctualError,
  RetryAfterError,
  type RetryPolicyInput,
  type Run,
  type RunningRun,
  type RunState,
  type RunSummary,
  type SubmitOptions,
  type WaitingRun,
} from '@punctual/core'
export type { HandlerContext, HandlerFunction, RunLog, TransactionClient } from '@punctual/worker'
export type {
  HandlerHandle,
  SubmitCallOptions,
  SubmitManyOptions,
  Submitted,
} from './handler-handle.ts'
export type { Logger } from './logger.ts'
export type { PunctualOptions, RoleName, WorkerSettings } from './options.ts'
export { Punctual } from './punctual.ts'
export type { LogOptions, NotRunningReason, Runs, WaitOptions } from './runs.ts'
export { version } from './version.ts'
