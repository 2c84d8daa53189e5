export { type Actor, type ActorKind, actorKinds, checkActor } from './actor.ts'
export type {
  AuditEntry,
  AuditFault,
  AuditHead,
  AuditTarget,
  AuditWrite,
  VerifiedChain,
} from './audit-entry.ts'
export { checkName, checkText, integer } from './check-value.ts'
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
  type ErrorCode,
  type ErrorDetails,
  errorCatalogue,
  invariant,
  NonRetryableError,
  PunctualError,
  type QuotaUse,
  RetryAfterError,
  reworded,
} from './errors.ts'
export {
  explainRun,
  type LetThroughRun,
  type RunExplanation,
  type RunFacts,
  type RunObstacle,
  type WorkerInReach,
} from './explain-run.ts'
export {
  type Failure,
  failureFrom,
  fingerprint,
  isNonRetryable,
  retryAfterMs,
  storableText,
} from './failure.ts'
export type {
  ConcurrencyOptions,
  FlowKey,
  RateOptions,
  RunConcurrency,
  RunFlow,
  RunRate,
} from './flow.ts'
export {
  callbackPayload,
  type Group,
  type GroupCounts,
  type GroupDone,
  type GroupMember,
  type GroupResult,
  type GroupSummary,
} from './group.ts'
export {
  CONNECTIONS_OF_A_NODE,
  type Guarantee,
  type GuaranteeFacts,
  type GuaranteePanel,
  judgeGuarantees,
  type PromiseName,
  type ReadStandbyFacts,
  type StandbyFacts,
  type TenantWallState,
  type Weakness,
} from './guarantees.ts'
export { type ApiKey, makeApiKey, prefixOfApiKey } from './identity/api-key.ts'
export { type Caller, checkScope, tenantSuspended } from './identity/caller.ts'
export { limitsAfterQuotas, limitsWithin } from './identity/limits-within.ts'
export {
  compileQuotas,
  type QuotaChanges,
  type QuotaName,
  type Quotas,
  quotaExceeded,
} from './identity/quotas.ts'
export { holdsScope, type Scope, scopeNames, scopes } from './identity/scope.ts'
export { checkTenantName, DEFAULT_TENANT, type Tenant } from './identity/tenant.ts'
export type { Instant } from './instant.ts'
export {
  type AuditedJob,
  type AuditFinding,
  type AuditKind,
  auditCursor,
  auditKinds,
  type CursorFault,
  decidedUntil,
} from './jobs/audit.ts'
export {
  type Era,
  type ExpectedSlots,
  erasOf,
  expectedSlots,
  isSlotOf,
  type JobVersion,
  type LedgerRow,
  matchSlots,
  type SlotMatch,
  type SlotStretch,
} from './jobs/expected-slots.ts'
export { type Beginning, firstSlot } from './jobs/first-slot.ts'
export { jitterOf } from './jobs/jitter.ts'
export type { Job, JobChange, Slot } from './jobs/job.ts'
export {
  type CompiledJob,
  compileJob,
  type DstOptions,
  type JobDefaults,
  type JobOptions,
  timingInput,
} from './jobs/job-options.ts'
export {
  type CompiledJobPageFilter,
  compileJobPageFilter,
  type JobItem,
  type JobPage,
  type JobPageFilter,
  type LatestRun,
  skipOf,
} from './jobs/job-page.ts'
export {
  decodeRules,
  encodeRules,
  type JobRules,
  type MisfireRules,
  misfireOf,
  type Overlap,
  type When,
} from './jobs/job-rules.ts'
export {
  type JobStatus,
  jobStatus,
  jobStatuses,
  jobStatusTable,
} from './jobs/job-status.ts'
export { COUNT_MAX, countSlots, lastSlot, type NextSlot } from './jobs/last-slot.ts'
export { nextSlotOf, planJob } from './jobs/plan-job.ts'
export { gapBelow } from './jobs/shortest-gap.ts'
export {
  type SlotDecision,
  type SlotReason,
  slotDecisions,
  slotReasons,
} from './jobs/slot-decision.ts'
export { checkJsonText } from './json-text.ts'
export { encodeJson } from './json-value.ts'
export type {
  KeyConflict,
  KeyOptions,
  OnConflict,
  SubmitOutcome,
  TimeSpan,
} from './key-conflict.ts'
export type { Lane, LaneKey } from './lane.ts'
export { defaults, limits } from './limits.ts'
export type { AuditPage, AuditStore, QueuePage, SlotCheck, SlotSample } from './ports/audit.ts'
export type { Clock, Random } from './ports/clock.ts'
export type { GroupLook, GroupUpkeep } from './ports/groups.ts'
export type { Heartbeat, HeartbeatEvents } from './ports/heartbeat.ts'
export type {
  CalendarVersion,
  DueJob,
  DueRequest,
  PlannedJob,
  PlannerView,
  PlanStore,
  TenantCalendars,
} from './ports/plan.ts'
export type { LeaseEnd, OpenSession, RemoteSessions } from './ports/remote-sessions.ts'
export type { SealStore } from './ports/seal.ts'
export type { ExpiredSessions, ReapResult, UpkeepStore } from './ports/upkeep.ts'
export type {
  Assignment,
  ClaimedRun,
  ClaimRequest,
  ClaimResult,
  Fence,
  LaneYield,
  Lease,
  LogEntry,
  SessionAnnouncement,
  SessionDescription,
  Settlement,
  StuckHandler,
  WorkStore,
} from './ports/work.ts'
export { compileLimits, type LimitOptions, type QueueLimits } from './queue-limits.ts'
export { oneOf, refuseOption } from './refuse-option.ts'
export {
  compileReplayPace,
  nextReplayStep,
  type ReplayPace,
  type ReplayRules,
  type ReplayTally,
  watchesEnds,
} from './replay-pace.ts'
export { type Resolution, resolutions } from './resolution.ts'
export { restTogether } from './rest.ts'
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
  compileRunPolicy,
  type Delivery,
  decodeRunPolicy,
  deliveries,
  deliveryFrom,
  policyOptions,
  type RunPolicy,
} from './run-policy.ts'
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
  type Calendar,
  type CalendarInput,
  calendarAllows,
  parseCalendar,
} from './schedule/calendar.ts'
export type { CronPattern } from './schedule/cron-pattern.ts'
export {
  type DstPolicy,
  defaultDstPolicy,
  type GapPolicy,
  gapPolicies,
  type OverlapPolicy,
  overlapPolicies,
} from './schedule/dst-policy.ts'
export { type Every, everyNextAfter } from './schedule/every.ts'
export { momentIn } from './schedule/moment-in.ts'
export { nextAfter } from './schedule/next-after.ts'
export { type FiresOptions, nextFires } from './schedule/next-fires.ts'
export { type CronOptions, type DayRule, dayRules, parseCron } from './schedule/parse-cron.ts'
export { type Period, parsePeriod } from './schedule/parse-period.ts'
export {
  type FirePreview,
  type PreviewOptions,
  previewFires,
} from './schedule/preview-fires.ts'
export {
  type CronTiming,
  compileTiming,
  type EveryTiming,
  nextSlot,
  type Timing,
  type TimingInput,
} from './schedule/timing.ts'
export { TimingCache } from './schedule/timing-cache.ts'
export type { WindowInput } from './schedule/weekly-windows.ts'
export { type Zone, zoneOf } from './schedule/zone.ts'
export {
  type CompiledOptions,
  compileOptions,
  instantOf,
  makeSubmission,
  type Submission,
  type SubmitOptions,
} from './submission.ts'
export { TimeQueue } from './time-queue.ts'
export { type Place, type Transition, transitions } from './transitions.ts'
export { marksStart, readRun, type WireRun, writeRun } from './wire/claimed-run.ts'
export {
  readOutcome,
  readSuccess,
  type WireError,
  type WireOutcome,
  wireOutcomes,
  writeOutcome,
} from './wire/outcome.ts'
