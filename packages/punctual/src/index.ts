export {
  type Attempt,
  type AttemptOutcome,
  type AuditFinding,
  type AuditKind,
  type CalendarInput,
  type ConcurrencyOptions,
  type DayRule,
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterGroup,
  type Delivery,
  type ErrorCode,
  type Failure,
  type FinishedRun,
  type FirePreview,
  type FlowKey,
  type GapPolicy,
  type Group,
  type GroupCounts,
  type GroupDone,
  type GroupMember,
  type GroupResult,
  type GroupSummary,
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
  type RateOptions,
  type Resolution,
  RetryAfterError,
  type RetryPolicyInput,
  type Run,
  type RunConcurrency,
  type RunFilter,
  type RunningRun,
  type RunRate,
  type RunState,
  type RunSummary,
  type SlotReason,
  type SubmitOptions,
  type TimeRange,
  type WaitingRun,
  type Weakness,
  type WindowInput,
} from '@punctual/core'
export type { BackfillResult, JobFilter, JobResult, LaneDepth, Pause } from '@punctual/store'
export type {
  BatchFunction,
  BatchItem,
  BatchOutcomes,
  HandlerContext,
  HandlerFunction,
  HandlerOptions,
  HeldRun,
  RunFate,
  RunLog,
  TransactionClient,
} from '@punctual/worker'
export type { BulkOptions, BulkProgress, BulkResult } from './bulk-runs.ts'
export type {
  DeadLetterDetails,
  DeadLetterListOptions,
  DeadLetterPage,
  DeadLetters,
  DiscardManyResult,
  ReplayOptions,
  ReplayResult,
} from './dead-letters.ts'
export type { EventListener, EventsOptions } from './events/event-hub.ts'
export type {
  EventName,
  FleetEventName,
  LocalEventName,
  PunctualEvent,
  PunctualEvents,
  RunFacts,
} from './events/event-types.ts'
export type { Listen, StreamEvents, Unlisten } from './events/events.ts'
export type { SlotExplanation } from './explain-slot.ts'
export { type NextFiresOptions, nextFires, type PreviewOptions, previewFires } from './fires.ts'
export type {
  GroupCallOptions,
  GroupCancelResult,
  GroupHandle,
  GroupRun,
} from './group-handle.ts'
export type { GroupCallbackOptions, GroupOptions } from './group-options.ts'
export type {
  GroupListOptions,
  GroupReference,
  GroupRunsOptions,
  Groups,
} from './groups.ts'
export type {
  HandlerHandle,
  SubmitCallOptions,
  SubmitManyOptions,
  Submitted,
} from './handler-handle.ts'
export type { BatchOptions, InlineOptions, IsolatedOptions } from './handler-options.ts'
export type { HandlingOptions } from './handling.ts'
export type {
  BackfillOptions,
  Calendars,
  JobSlot,
  Jobs,
  SlotsOptions,
  SyncOptions,
} from './jobs.ts'
export type { Logger } from './logger.ts'
export type { HandlerCall, Middleware } from './middleware.ts'
export type {
  DrizzleTransaction,
  KnexTransaction,
  KyselyTransaction,
  OpenTransaction,
  PrismaTransaction,
} from './open-transaction.ts'
export type { PunctualOptions, RoleName, WorkerSettings } from './options.ts'
export type { ClaimOptions } from './own-loops.ts'
export type { PayloadSchema } from './payload-schema.ts'
export { Punctual } from './punctual.ts'
export type { PauseOptions, Queue, Queues } from './queues.ts'
export type { RegisterHandler } from './register-handler.ts'
export type {
  ManyOptions,
  ReplayManyOptions,
  ReplayManyResult,
  ReplayProgress,
} from './replay-many.ts'
export type { ResolveResult } from './resolve-run.ts'
export type {
  CancelAnswer,
  CancelManyOptions,
  ListOptions,
  LogOptions,
  NotRunningReason,
  Runs,
  WaitOptions,
} from './runs.ts'
export type { SyncResult } from './sync-jobs.ts'
export type { Verification, VerifyFinding, VerifyOptions, VerifyProgress } from './verify.ts'
export { version } from './version.ts'
export type { DrainedOptions, WorkerProcess, WorkerState, Workers } from './workers.ts'
