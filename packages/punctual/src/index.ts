export {
  type Actor,
  type ActorKind,
  type ApiKey,
  type Attempt,
  type AttemptOutcome,
  type AuditEntry,
  type AuditFault,
  type AuditFinding,
  type AuditHead,
  type AuditKind,
  type AuditTarget,
  type Backoff,
  type BackoffInput,
  type CalendarInput,
  type Caller,
  type ConcurrencyOptions,
  type CountBy,
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
  type JobItem,
  type JobOfRun,
  type JobOptions,
  type JobPage,
  type JobPageFilter,
  type JobRules,
  type JobStatus,
  type KeyOptions,
  type LatestRun,
  type LetThroughRun,
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
  type QuotaChanges,
  type QuotaName,
  type Quotas,
  type QuotaUse,
  type RateOptions,
  type ReadStandbyFacts,
  type ReplayPace,
  type Resolution,
  RetryAfterError,
  type RetryPolicy,
  type RetryPolicyInput,
  type Run,
  type RunConcurrency,
  type RunCount,
  type RunDefinition,
  type RunExplanation,
  type RunFilter,
  type RunGroup,
  type RunItem,
  type RunningRun,
  type RunObstacle,
  type RunOrder,
  type RunPage,
  type RunPageFilter,
  type RunPolicy,
  type RunRate,
  type RunResolution,
  type RunState,
  type RunSummary,
  type Scope,
  type SlotReason,
  type StandbyFacts,
  type StuckHandler,
  type SubmitOptions,
  type SubmitOutcome,
  type Tenant,
  type TenantWallState,
  type TimeRange,
  type TimeSpan,
  type VerifiedChain,
  type WaitingRun,
  type Weakness,
  type When,
  type WindowInput,
  type WorkerInReach,
} from '@punctual/core'
export type {
  BackfillResult,
  CreatedApiKey,
  EraseProgress,
  EraseResult,
  JobFilter,
  JobResult,
  KeyBusy,
  LaneDepth,
  LimitInForce,
  Pause,
  Queryable,
  SecretInfo,
  TenantReference,
  UsageDay,
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
export type {
  ApiKeyListOptions,
  ApiKeyOptions,
  ApiKeyOwner,
  ApiKeys,
  RevokeOptions,
  RotateOptions,
} from './api-keys.ts'
export type {
  Audit,
  AuditListOptions,
  AuditVerification,
  AuditVerifyOptions,
  ExpectedAuditHead,
} from './audit/audit.ts'
export type { BulkOptions, BulkProgress, BulkResult } from './bulk-runs.ts'
export type { Calendars } from './calendars.ts'
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
  JobSlot,
  Jobs,
  SlotsOptions,
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
export type { JobPageOptions } from './page-jobs.ts'
export type { RunCountOptions, RunPageOptions } from './page-runs.ts'
export type {
  PayloadSchema,
  SchemaIssue,
  SchemaResult,
} from './payload-schema.ts'
export { Punctual } from './punctual.ts'
export type { PauseOptions, Queue, Queues } from './queues.ts'
export type { ListOptions, LogOptions, WaitOptions } from './read-options.ts'
export type { RegisterHandler, WithSchema } from './register-handler.ts'
export { RemoteWorker, type RemoteWorkerOptions } from './remote-worker.ts'
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
  Runs,
  TooLate,
} from './runs.ts'
export type {
  RotatedSecrets,
  SecretSet,
  Secrets,
  SecretsOfInstallation,
} from './secrets/secrets.ts'
export type { Ends, RecentEnds, Report, ReportOptions, ReportRow, Stats } from './stats.ts'
export type { SyncOptions, SyncResult } from './sync-jobs.ts'
export type { TenantScope } from './tenant-scope.ts'
export type {
  EraseOptions,
  TenantChanges,
  TenantListOptions,
  TenantOptions,
  TenantRange,
  Tenants,
} from './tenants.ts'
export type { Verification, VerifyFinding, VerifyOptions, VerifyProgress } from './verify.ts'
export { version } from './version.ts'
export type { NotRunningReason } from './why-not-running.ts'
export type { DrainedOptions, WorkerProcess, WorkerState, Workers } from './workers.ts'
