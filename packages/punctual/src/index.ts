export {
  type Attempt,
  type AttemptOutcome,
  type AuditFinding,
  type AuditKind,
  type Backoff,
  type BackoffInput,
  type CalendarInput,
  type ConcurrencyOptions,
  type DayRule,
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterGroup,
  type Delivery,
  type DstOptions,
  type ErrorCode,
  type ErrorDetails,
  type Failure,
  type FinalState,
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
  type Handling,
  type Instant,
  type Job,
  type JobChange,
  type JobOfRun,
  type JobOptions,
  type JobRules,
  type KeyOptions,
  type LetterHandling,
  type LetterState,
  type LimitOptions,
  type LiveState,
  type LogLine,
  type LogPosition,
  type MisfireRules,
  NonRetryableError,
  type OnConflict,
  type Overlap,
  type OverlapPolicy,
  type PromiseName,
  PunctualError,
  type QueueLimits,
  type RateOptions,
  type ReplayPace,
  type Resolution,
  RetryAfterError,
  type RetryPolicy,
  type RetryPolicyInput,
  type Run,
  type RunConcurrency,
  type RunDefinition,
  type RunFilter,
  type RunningRun,
  type RunPolicy,
  type RunRate,
  type RunResolution,
  type RunState,
  type RunSummary,
  type SlotReason,
  type StandbyFacts,
  type StuckHandler,
  type SubmitOptions,
  type SubmitOutcome,
  type TimeRange,
  type TimeSpan,
  type WaitingRun,
  type Weakness,
  type When,
  type WindowInput,
} from '@punctual/core'
export type {
  BackfillResult,
  JobFilter,
  JobResult,
  KeyBusy,
  LaneDepth,
  LimitInForce,
  Pause,
  Queryable,
} from '@punctual/store'
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
  SlotOfRun,
  TransactionClient,
} from '@punctual/worker'
export type { BulkOptions, BulkProgress, BulkResult } from './bulk-runs.ts'
export type { CompiledType } from './compiled-type.ts'
export type {
  DeadLetterDetails,
  DeadLetterListOptions,
  DeadLetterPage,
  DeadLetters,
  DiscardManyResult,
  ReplayOptions,
  ReplayResult,
} from './dead-letters.ts'
export type { EventListener, EventsOptions, ListenOptions } from './events/event-hub.ts'
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
export type { GivenSchema, InputOf, OutputOf } from './given-schema.ts'
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
export type { Limits } from './limits.ts'
export type { Logger } from './logger.ts'
export type { Metrics } from './metrics.ts'
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
export type {
  PayloadSchema,
  SchemaIssue,
  SchemaResult,
} from './payload-schema.ts'
export { Punctual } from './punctual.ts'
export type { PauseOptions, Queue, Queues } from './queues.ts'
export type { ListOptions, LogOptions, WaitOptions } from './read-options.ts'
export type { RegisterHandler, WithSchema } from './register-handler.ts'
export type {
  ManyOptions,
  ReplayManyOptions,
  ReplayManyResult,
  ReplayProgress,
} from './replay-many.ts'
export type { ResolveResult } from './resolve-run.ts'
export type { RunReference } from './run-reference.ts'
export type {
  CancelAnswer,
  CancelManyOptions,
  NotRunningReason,
  Runs,
  TooLate,
} from './runs.ts'
export type { SyncResult } from './sync-jobs.ts'
export type { Verification, VerifyFinding, VerifyOptions, VerifyProgress } from './verify.ts'
export { version } from './version.ts'
export type { DrainedOptions, WorkerProcess, WorkerState, Workers } from './workers.ts'
