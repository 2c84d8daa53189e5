export {
  type Attempt,
  type AttemptOutcome,
  type AuditFinding,
  type AuditKind,
  type CalendarInput,
  type DayRule,
  type Delivery,
  type ErrorCode,
  type Failure,
  type FinishedRun,
  type FirePreview,
  type GapPolicy,
  type Guarantee,
  type GuaranteeFacts,
  type GuaranteePanel,
  type Job,
  type JobChange,
  type JobOptions,
  type JobRules,
  type LogLine,
  type LogPosition,
  type MisfireRules,
  NonRetryableError,
  type Overlap,
  type OverlapPolicy,
  type PromiseName,
  PunctualError,
  RetryAfterError,
  type RetryPolicyInput,
  type Run,
  type RunningRun,
  type RunState,
  type RunSummary,
  type SlotReason,
  type SubmitOptions,
  type WaitingRun,
  type Weakness,
  type WindowInput,
} from '@punctual/core'
export type { BackfillResult, JobFilter, JobResult } from '@punctual/store'
export type {
  HandlerContext,
  HandlerFunction,
  HandlerOptions,
  RunLog,
  TransactionClient,
} from '@punctual/worker'
export type { SlotExplanation } from './explain-slot.ts'
export { type NextFiresOptions, nextFires, type PreviewOptions, previewFires } from './fires.ts'
export type {
  HandlerHandle,
  SubmitCallOptions,
  SubmitManyOptions,
  Submitted,
} from './handler-handle.ts'
export type {
  BackfillOptions,
  Calendars,
  JobSlot,
  Jobs,
  SlotsOptions,
  SyncOptions,
} from './jobs.ts'
export type { Logger } from './logger.ts'
export type { PunctualOptions, RoleName, WorkerSettings } from './options.ts'
export { Punctual } from './punctual.ts'
export type { LogOptions, NotRunningReason, Runs, WaitOptions } from './runs.ts'
export type { SyncResult } from './sync-jobs.ts'
export type { Verification, VerifyFinding, VerifyOptions, VerifyProgress } from './verify.ts'
export { version } from './version.ts'
