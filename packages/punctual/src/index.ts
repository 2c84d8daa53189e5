export type {
  Actor,
  ActorKind,
  AuditEntry,
  AuditFault,
  AuditHead,
  AuditTarget,
  AuditVerification,
  VerifiedChain,
} from '@punctual/core/audit'
export type { Instant } from '@punctual/core/check'
export type {
  DeadLetter,
  DeadLetterCause,
  DeadLetterDetails,
  DeadLetterFilter,
  DeadLetterHandling,
  DeadLetterState,
  DiscardManyResult,
  Handling,
  ReplayManyResult,
  ReplayPace,
  ReplayProgress,
  ReplayResult,
} from '@punctual/core/dead-letter'
export {
  type ErrorCode,
  type ErrorDetails,
  type Failure,
  NonRetryableError,
  PunctualError,
  type QuotaUse,
  RetryAfterError,
  UnclearOutcomeError,
} from '@punctual/core/errors'
export type {
  ConcurrencyOptions,
  FlowKey,
  LimitOptions,
  QueueLimits,
  RateOptions,
  RunConcurrency,
  RunRate,
} from '@punctual/core/flow'
export type {
  ApiKey,
  CallbackAttempt,
  Caller,
  CreatedApiKey,
  EraseResult,
  QuotaChanges,
  QuotaName,
  Quotas,
  Scope,
  SecretInfo,
  SecretSet,
  Tenant,
  UsageDay,
} from '@punctual/core/identity'
export type {
  AuditFinding,
  AuditKind,
  BackfillResult,
  DstOptions,
  Job,
  JobChange,
  JobItem,
  JobOptions,
  JobPage,
  JobPageFilter,
  JobResult,
  JobRules,
  JobSlot,
  JobStatus,
  LatestRun,
  MisfireRules,
  Overlap,
  SlotExplanation,
  SlotReason,
  When,
} from '@punctual/core/job'
export type {
  Guarantee,
  GuaranteeFacts,
  GuaranteePanel,
  PromiseName,
  ReadStandbyFacts,
  ReportedState,
  RowSecurityState,
  StandbyFacts,
  StuckHandler,
  Weakness,
} from '@punctual/core/ports'
export type {
  Ends,
  LaneDepth,
  LimitInForce,
  Pause,
  Queue,
  RecentEnds,
  Report,
  ReportRow,
  WorkerProcess,
  WorkerState,
} from '@punctual/core/queue'
export type {
  AdmittedRun,
  Attempt,
  AttemptOutcome,
  AwaitingRun,
  Backoff,
  BackoffInput,
  BulkResult,
  CancelAnswer,
  CountBy,
  Delivery,
  FinalState,
  FinishedRun,
  Group,
  GroupCounts,
  GroupDone,
  GroupMember,
  GroupResult,
  GroupSummary,
  JobOfRun,
  KeyBusy,
  LiveState,
  LogLine,
  LogPosition,
  Resolution,
  ResolveResult,
  RetryPolicy,
  RetryPolicyInput,
  Run,
  RunCount,
  RunDefinition,
  RunExplanation,
  RunFilter,
  RunGroup,
  RunItem,
  RunningRun,
  RunObstacle,
  RunOrder,
  RunPage,
  RunPageFilter,
  RunPolicy,
  RunResolution,
  RunState,
  RunSummary,
  TimeRange,
  TooLate,
  WaitingRun,
  WorkerInReach,
} from '@punctual/core/run'
export type {
  CalendarInput,
  DayRule,
  FirePreview,
  FoldPolicy,
  GapPolicy,
  WindowInput,
} from '@punctual/core/schedule'
export type {
  KeyOptions,
  OnConflict,
  RunOptions,
  SubmitOptions,
  SubmitOutcome,
  Submitted,
  TimeSpan,
} from '@punctual/core/submit'
export type {
  GrpcTarget,
  HandlerTarget,
  HttpSuccess,
  HttpTarget,
  ShellTarget,
  SshTarget,
  Target,
  TargetKindName,
} from '@punctual/core/target'
export type { EraseProgress, JobFilter, Queryable, TenantReference } from '@punctual/store'
export type {
  Awaiting,
  AwaitOptions,
  BatchFunction,
  BatchItem,
  BatchOutcomes,
  Callback,
  HandlerContext,
  HandlerFunction,
  HandlerOptions,
  HeldRun,
  RunFate,
  RunLog,
  SlotOfRun,
  TransactionClient,
} from '@punctual/worker'
export type { Listen, StreamActivity, Unlisten } from './activity/activity.ts'
export type { ActivityListener, ActivityOptions, ListenOptions } from './activity/event-hub.ts'
export type {
  ActivityEvent,
  ActivityEvents,
  ActivityType,
  FleetActivityType,
  LocalActivityType,
  RunFacts,
} from './activity/event-types.ts'
export type {
  Audit,
  AuditListOptions,
  AuditVerifyOptions,
  ExpectedAuditHead,
} from './audit/audit.ts'
export type { Logger } from './config/logger.ts'
export type { PunctualOptions, RoleName, WorkerSettings } from './config/options.ts'
export { version } from './config/version.ts'
export type {
  DeadLetterListOptions,
  DeadLetterPage,
  DeadLetters,
  ReplayOptions,
} from './dead-letters/dead-letters.ts'
export type { ManyOptions, ReplayManyOptions } from './dead-letters/replay-many.ts'
export type {
  GroupListOptions,
  GroupReference,
  GroupRunsOptions,
  Groups,
} from './groups/groups.ts'
export type {
  GroupCallOptions,
  GroupCancelResult,
  GroupHandle,
  GroupRun,
} from './groups/handle.ts'
export type { GroupCallbackOptions, GroupOptions } from './groups/options.ts'
export type { CompiledType } from './handlers/compiled-type.ts'
export type { GivenSchema, InputOf, OutputOf } from './handlers/given-schema.ts'
export type { HandlerCall, Middleware } from './handlers/middleware.ts'
export type { BatchOptions, InlineOptions, IsolatedOptions } from './handlers/options.ts'
export type {
  PayloadSchema,
  SchemaIssue,
  SchemaResult,
} from './handlers/payload-schema.ts'
export type { RegisterHandler, WithSchema } from './handlers/register.ts'
export type { BackfillOptions } from './jobs/backfill.ts'
export type { Calendars } from './jobs/calendars.ts'
export type { CreateOptions } from './jobs/create.ts'
export {
  type NextFiresOptions,
  nextFires,
  type PreviewOptions,
  previewFires,
} from './jobs/fires.ts'
export type { Jobs } from './jobs/jobs.ts'
export type { JobPageOptions } from './jobs/pages.ts'
export type { SlotPage, SlotsOptions } from './jobs/slot-pages.ts'
export type { SyncOptions, SyncResult } from './jobs/sync.ts'
export type { Metrics } from './metrics/metrics.ts'
export { Punctual } from './punctual.ts'
export type { Limits } from './queues/limits.ts'
export type { PauseOptions, Queues } from './queues/queues.ts'
export type { ReportOptions, Stats } from './queues/stats.ts'
export type { DrainedOptions, Workers } from './queues/workers.ts'
export type { AwaitingReports, FailOptions } from './runs/awaiting.ts'
export type { BulkOptions, BulkProgress } from './runs/bulk.ts'
export type { CancelManyOptions } from './runs/bulk-changes.ts'
export type { HandlingOptions } from './runs/handling.ts'
export type { RunCountOptions, RunPageOptions } from './runs/pages.ts'
export type { ListOptions, LogOptions, WaitOptions } from './runs/read-options.ts'
export type { RunReference } from './runs/reference.ts'
export type { Runs } from './runs/runs.ts'
export type { RotatedSecrets, Secrets, SecretsOfInstallation } from './secrets/secrets.ts'
export type {
  HandlerHandle,
  SubmitCallOptions,
  SubmitManyOptions,
} from './submit/handler-handle.ts'
export type {
  DrizzleTransaction,
  KnexTransaction,
  KyselyTransaction,
  OpenTransaction,
  PrismaTransaction,
} from './submit/open-transaction.ts'
export type { TenantScope } from './tenant-scope.ts'
export type {
  ApiKeyListOptions,
  ApiKeyOptions,
  ApiKeyOwner,
  ApiKeys,
  RevokeOptions,
  RotateOptions,
} from './tenants/api-keys.ts'
export type {
  EraseOptions,
  TenantChanges,
  TenantListOptions,
  TenantOptions,
  TenantRange,
  Tenants,
} from './tenants/tenants.ts'
export type { Verification, VerifyFinding, VerifyOptions, VerifyProgress } from './verify.ts'
export type { ClaimOptions } from './workers/manual-claims.ts'
export { RemoteWorker, type RemoteWorkerOptions } from './workers/remote-worker.ts'
